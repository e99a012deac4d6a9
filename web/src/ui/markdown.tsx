import type { MarkedToken, Token, Tokens } from "marked";
import { Fragment, type ReactNode, useMemo } from "react";
import { cx } from "@/lib/cx";
import { plainText, readMarkdown, safeAddress } from "@/lib/markdown";

interface MarkdownProps {
  text: string;
  /** The level of the text's largest heading on the page. */
  level?: 2 | 3 | 4;
  className?: string;
}

/**
 * Markdown as React elements. It never becomes HTML: tags are shown as written, pictures are links,
 * and a link leads only to the web or to a mail address.
 */
export function Markdown({ text, level = 3, className }: MarkdownProps) {
  const tokens = useMemo(() => readMarkdown(text), [text]);
  const levels = useMemo(() => headingLevels(tokens, level), [tokens, level]);
  return (
    <div className={cx("flex min-w-0 flex-col gap-3 text-base wrap-anywhere", className)}>
      {render(tokens, levels)}
    </div>
  );
}

type Levels = Map<number, number>;

/** Renumbers headings so that no level is skipped, whatever numbers of # the text uses. */
function headingLevels(tokens: readonly Token[], level: number): Levels {
  const depths = new Set<number>();
  const collect = (list: readonly Token[]) => {
    for (const token of list as readonly MarkedToken[]) {
      if (token.type === "heading") depths.add(token.depth);
      else if (token.type === "list") for (const item of token.items) collect(item.tokens);
      else if (token.type === "blockquote") collect(token.tokens);
    }
  };
  collect(tokens);
  return new Map([...depths].sort((a, b) => a - b).map((depth, rank) => [depth, Math.min(6, level + rank)]));
}

function render(tokens: readonly Token[] | undefined, levels: Levels): ReactNode {
  return tokens?.map((token, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text
    <Fragment key={index}>{element(token as MarkedToken, levels)}</Fragment>
  ));
}

const headingLooks = ["text-xl", "text-lg", "text-base", "text-base text-muted"];

// One case for each kind of token; each is one element.
function element(token: MarkedToken, levels: Levels): ReactNode {
  switch (token.type) {
    case "heading": {
      const Heading = `h${levels.get(token.depth) ?? 6}` as "h2";
      const look = headingLooks[Math.min(token.depth, headingLooks.length) - 1];
      return (
        <Heading className={cx("mt-2 font-semibold first:mt-0", look)}>
          {render(token.tokens, levels)}
        </Heading>
      );
    }
    case "paragraph":
      return <p>{render(token.tokens, levels)}</p>;
    case "text":
      return token.tokens ? render(token.tokens, levels) : plainText(token.text);
    case "escape":
      return token.text;
    case "strong":
      return <strong className="font-semibold">{render(token.tokens, levels)}</strong>;
    case "em":
      return <em>{render(token.tokens, levels)}</em>;
    case "del":
      return <del>{render(token.tokens, levels)}</del>;
    case "br":
      return <br />;
    case "codespan":
      return <code className="rounded-sm bg-sunken px-1 font-mono text-[0.9em]">{token.text}</code>;
    case "code":
      return (
        <pre className="whitespace-pre-wrap rounded-md border border-line bg-sunken p-3 font-mono text-xs">
          <code>{token.text}</code>
        </pre>
      );
    case "hr":
      return <hr className="border-line" />;
    case "blockquote":
      return (
        <blockquote className="flex flex-col gap-3 border-line border-l-4 pl-3 text-muted">
          {render(token.tokens, levels)}
        </blockquote>
      );
    case "list":
      return <List list={token} levels={levels} />;
    case "checkbox":
      return (
        <>
          <span aria-hidden>{token.checked ? "☑ " : "☐ "}</span>
          <span className="sr-only">{token.checked ? "done: " : "to do: "}</span>
        </>
      );
    case "table":
      return <MarkdownTable table={token} levels={levels} />;
    case "link":
      return <Link href={token.href}>{render(token.tokens, levels)}</Link>;
    case "image":
      return <Link href={token.href}>{plainText(token.text) || token.href}</Link>;
    case "html":
      return token.block ? <p className="whitespace-pre-wrap">{token.text.trimEnd()}</p> : token.text;
    case "space":
    case "def":
      return null;
    default:
      return token.raw;
  }
}

function Link({ href, children }: { href: string; children: ReactNode }) {
  const address = safeAddress(href);
  if (!address) return children;
  return (
    <a
      href={address}
      target="_blank"
      rel="noopener noreferrer"
      className="rounded-sm text-accent-ink underline underline-offset-2"
    >
      {children}
      <span className="sr-only"> (opens in a new tab)</span>
    </a>
  );
}

function List({ list, levels }: { list: Tokens.List; levels: Levels }) {
  const items = list.items.map((item, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text
    <li key={index} className={cx(item.task && "-ml-5 list-none", "[&>ol]:mt-1 [&>p+*]:mt-2 [&>ul]:mt-1")}>
      {render(item.tokens, levels)}
    </li>
  ));
  const look = cx("flex flex-col pl-5", list.loose ? "gap-2" : "gap-1");
  if (!list.ordered) return <ul className={cx(look, "list-disc")}>{items}</ul>;
  return (
    <ol start={list.start === "" ? 1 : list.start} className={cx(look, "list-decimal")}>
      {items}
    </ol>
  );
}

const alignments = { left: "text-left", center: "text-center", right: "text-right tabular-nums" };

function MarkdownTable({ table, levels }: { table: Tokens.Table; levels: Levels }) {
  const look = (cell: Tokens.TableCell) =>
    cx("border border-line px-2 py-1", alignments[cell.align ?? "left"]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard can scroll only what it can focus
    <section aria-label="Table" tabIndex={0} className="overflow-x-auto">
      <table className="border-collapse text-sm">
        <thead>
          <tr>
            {table.header.map((cell, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text
              <th key={index} scope="col" className={cx(look(cell), "bg-sunken font-medium")}>
                {render(cell.tokens, levels)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text
            <tr key={at}>
              {row.map((cell, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text
                <td key={index} className={look(cell)}>
                  {render(cell.tokens, levels)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
