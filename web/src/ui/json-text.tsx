import { memo, type ReactNode, type Ref } from "react";
import { cx } from "@/lib/cx";
import { type Token, type TokenKind, tokenLines } from "@/lib/json-text";

/** A marked range of the text. */
export interface Mark {
  start: number;
  end: number;
  /** Read aloud after the marked text. */
  label?: string;
}

const colors: Record<TokenKind, string> = {
  name: "text-ink",
  string: "text-good-ink",
  number: "text-accent-ink",
  word: "text-warn-ink",
  punctuation: "text-subtle",
  space: "",
  bad: "text-bad-ink underline decoration-wavy",
};

/** Longer texts get no colours, because a span per token would be slow. */
export const maxColoredLength = 60_000;

/** Shared by the viewer and the editor, whose lines must break in the same places. */
export const jsonTextClass =
  "whitespace-pre-wrap wrap-anywhere py-2 pr-3 pl-11 font-mono text-xs leading-5 tracking-normal [tab-size:2]";

interface JsonLinesProps {
  text: string;
  marks?: readonly Mark[];
}

/** JSON in colours, line by line, with line numbers that are neither read aloud nor copied. */
export const JsonLines = memo(function JsonLines({ text, marks = [] }: JsonLinesProps) {
  const lines = text.length > maxColoredLength ? plainLines(text) : tokenLines(text);
  return lines.map((tokens, index) => {
    const hit = tokens.some((token) => marks.some((mark) => overlaps(mark, token)));
    return (
      <div
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is its number
        key={index}
        className={cx(
          "relative min-h-5 -ml-11 pl-11 -mr-3 pr-3 [counter-increment:line]",
          "before:absolute before:left-0 before:w-8 before:select-none before:text-right before:text-subtle before:content-[counter(line)]",
          // Lines far below are not laid out until somebody scrolls there.
          text.length > maxColoredLength && "[contain-intrinsic-size:auto_1.25rem] [content-visibility:auto]",
          hit && "bg-bad-soft before:text-bad-ink before:font-semibold",
        )}
      >
        {runs(tokens, marks).map(([mark, run]) => {
          const spans = run.map((token) => (
            <span key={token.start} className={mark ? undefined : colors[token.kind]}>
              {text.slice(token.start, token.end)}
            </span>
          ));
          const key = run[0]?.start;
          return mark ? (
            <mark
              key={key}
              className="rounded-sm bg-transparent font-semibold text-bad-ink underline decoration-2 decoration-bad underline-offset-3"
            >
              {spans}
              {mark.label && <span className="sr-only"> ({mark.label}) </span>}
            </mark>
          ) : (
            spans
          );
        })}
      </div>
    );
  });
});

function plainLines(text: string): Token[][] {
  let start = 0;
  return text.split("\n").map((line) => {
    const token: Token = { kind: "name", start, end: start + line.length, depth: 0 };
    start = token.end + 1;
    return line ? [token] : [];
  });
}

function overlaps(mark: Mark, token: Token): boolean {
  return token.kind !== "space" && token.start < Math.max(mark.end, mark.start + 1) && mark.start < token.end;
}

/** Groups neighbouring tokens by their mark. */
function runs(tokens: Token[], marks: readonly Mark[]): [Mark | undefined, Token[]][] {
  const out: [Mark | undefined, Token[]][] = [];
  for (const token of tokens) {
    const inside = (mark: Mark) => mark.start <= token.start && token.start < mark.end;
    const mark = marks.find((one) =>
      token.kind === "space" ? inside(one) && one === out.at(-1)?.[0] : overlaps(one, token),
    );
    const last = out.at(-1);
    if (last && last[0] === mark) last[1].push(token);
    else out.push([mark, [token]]);
  }
  return out;
}

interface JsonTextProps extends JsonLinesProps {
  /** Names the text, for screen readers. */
  label: string;
  /** Missing lines, shown under the text. */
  children?: ReactNode;
  ref?: Ref<HTMLPreElement>;
}

/** A read-only view of JSON. */
export function JsonText({ label, text, marks, children, ref }: JsonTextProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls; this names a text
    <pre
      ref={ref}
      role="group"
      aria-label={label}
      className={cx(
        jsonTextClass,
        "overflow-hidden rounded-md border border-line bg-sunken [counter-reset:line]",
      )}
    >
      <code>
        <JsonLines text={text} marks={marks} />
      </code>
      {children}
    </pre>
  );
}
