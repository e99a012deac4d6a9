import { useMemo } from "react";
import { cx } from "@/lib/cx";
import { diffLines, hunks } from "@/lib/diff";
import { plural } from "@/lib/format";

const looks = {
  same: ["span", "text-muted", " ", ""],
  gone: ["del", "bg-bad-soft text-bad-ink", "−", "removed: "],
  new: ["ins", "bg-good-soft text-good-ink", "+", "added: "],
} as const;

/** What changed between two payloads, line by line. */
export function Diff({ before, after }: { before: string; after: string }) {
  const parts = useMemo(() => hunks(diffLines(before, after)), [before, after]);
  if (parts.hunks.length === 0) return <p className="text-muted text-xs">Nothing but spaces.</p>;
  return (
    <div className="overflow-hidden rounded-md border border-line bg-sunken py-1 font-mono text-xs leading-5">
      {parts.hunks.map((hunk, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text
        <div key={index}>
          <Skipped count={hunk.skipped} />
          {hunk.lines.map((line, at) => {
            const [Element, look, sign, said] = looks[line.kind];
            return (
              <Element
                // biome-ignore lint/suspicious/noArrayIndexKey: the lines of one text
                key={at}
                className={cx("flex whitespace-pre-wrap wrap-anywhere px-2 no-underline", look)}
              >
                <span aria-hidden className="w-4 shrink-0 select-none">
                  {sign}
                </span>
                <span className="sr-only">{said}</span>
                <span className="min-w-0">{line.text}</span>
              </Element>
            );
          })}
        </div>
      ))}
      <Skipped count={parts.after} />
    </div>
  );
}

function Skipped({ count }: { count: number }) {
  if (count === 0) return null;
  return (
    <p className="px-2 font-sans text-subtle text-xs">
      {count} unchanged {plural(count, "line")}
    </p>
  );
}
