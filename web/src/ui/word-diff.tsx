import { useMemo } from "react";
import { cx } from "@/lib/cx";
import { type DiffPart, diffWords, hunks, type WordLine, wordsChanged } from "@/lib/diff";
import { Hunks, LineDiff } from "./line-diff";

interface WordDiffProps {
  before: string;
  after: string;
}

/** The changes between two texts, word by word, or line by line if they are too long or too different. */
export function WordDiff({ before, after }: WordDiffProps) {
  const parts = useMemo(() => {
    const lines = diffWords(before, after);
    return lines && hunks(lines, wordsChanged, 1);
  }, [before, after]);
  if (!parts) return <LineDiff before={before} after={after} />;
  return (
    <Hunks parts={parts} same="No difference." line={(line) => <Words line={line} />} className="text-base" />
  );
}

function Words({ line }: { line: WordLine }) {
  const changed = wordsChanged(line);
  return (
    <p className={cx("min-h-5 whitespace-pre-wrap wrap-anywhere px-3", changed ? "text-ink" : "text-muted")}>
      {line.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one line
        <Part key={index} {...part} />
      ))}
    </p>
  );
}

/** Underlined or struck through, not only coloured; screen readers hear where it begins and ends. */
function Part({ kind, text, end }: DiffPart) {
  if (kind === "same") return text;
  const shown = (
    <>
      {text}
      {end && <LineEnd />}
    </>
  );
  return kind === "new" ? (
    <ins className="rounded-sm bg-good-soft text-good-ink underline decoration-from-font underline-offset-2">
      <span className="sr-only">[added: </span>
      {shown}
      <span className="sr-only">]</span>
    </ins>
  ) : (
    <del className="rounded-sm bg-bad-soft text-bad-ink line-through">
      <span className="sr-only">[removed: </span>
      {shown}
      <span className="sr-only">]</span>
    </del>
  );
}

function LineEnd() {
  return (
    <>
      <span aria-hidden className="select-none">
        ↵
      </span>
      <span className="sr-only"> end of line</span>
    </>
  );
}
