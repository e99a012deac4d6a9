import { Fragment, type ReactNode, useMemo } from "react";
import { cx } from "@/lib/cx";
import { type DiffLine, diffLines, hunks, lineChanged } from "@/lib/diff";
import { useLocale } from "@/lib/locale";
import { linesUnchanged } from "@/messages/parts";

const looks = {
  same: ["span", "text-muted", " ", ""],
  gone: ["del", "bg-bad-soft text-bad-ink", "−", "removed: "],
  new: ["ins", "bg-good-soft text-good-ink", "+", "added: "],
} as const;

interface LineDiffProps {
  before: string;
  after: string;
  /** Returns the part of a line to compare; by default the whole line. */
  compare?: (line: string) => string;
  /** Shown if no line differs. */
  same?: string;
}

/** The changes between two texts, line by line. */
export function LineDiff({ before, after, compare, same = "No difference." }: LineDiffProps) {
  const parts = useMemo(
    () => hunks(diffLines(before, after, compare), lineChanged),
    [before, after, compare],
  );
  return <Hunks parts={parts} same={same} line={(line) => <Line {...line} />} />;
}

function Line({ kind, text }: DiffLine) {
  const [Element, look, sign, said] = looks[kind];
  return (
    <Element className={cx("flex whitespace-pre-wrap wrap-anywhere px-2 no-underline", look)}>
      <span aria-hidden className="w-4 shrink-0 select-none">
        {sign}
      </span>
      <span className="sr-only">{said}</span>
      <span className="min-w-0">{text}</span>
    </Element>
  );
}

interface HunksProps<L> {
  parts: ReturnType<typeof hunks<L>>;
  same: string;
  line: (line: L) => ReactNode;
  className?: string;
}

/** The hunks of a diff, with the number of unchanged lines between them. */
export function Hunks<L>({ parts, same, line, className = "font-mono text-xs leading-5" }: HunksProps<L>) {
  if (parts.hunks.length === 0) return <p className="text-muted text-xs">{same}</p>;
  return (
    <div className={cx("overflow-hidden rounded-md border border-line bg-sunken py-1", className)}>
      {parts.hunks.map((hunk, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text
        <div key={index}>
          <Skipped count={hunk.skipped} />
          {hunk.lines.map((one, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the lines of one text
            <Fragment key={at}>{line(one)}</Fragment>
          ))}
        </div>
      ))}
      <Skipped count={parts.after} />
    </div>
  );
}

function Skipped({ count }: { count: number }) {
  const { locale } = useLocale();
  if (count === 0) return null;
  return <p className="px-2 font-sans text-subtle text-xs">{linesUnchanged({ count }, locale)}</p>;
}
