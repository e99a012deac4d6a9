import { diffArrays, diffWordsWithSpace } from "diff";

export type DiffKind = "same" | "gone" | "new";

export interface DiffPart {
  kind: DiffKind;
  text: string;
  /** The line break was removed or added with the text. */
  end?: boolean;
}

/** A whole line: unchanged, removed or added. */
export type DiffLine = DiffPart;

/** A line with removed and added words; an unchanged line is a single part. */
export type WordLine = DiffPart[];

// Above this many changes the search for the smallest diff takes long. Such texts have little in
// common, and are shown one after the other.
const maxChanges = 1_000;
/** Characters of both texts together; longer ones are compared line by line. */
const maxComparedLength = 100_000;

const kindOf = (change: { added: boolean; removed: boolean }): DiffKind =>
  change.removed ? "gone" : change.added ? "new" : "same";

/** The removed and added lines between two texts. `key` returns the part of a line to compare. */
export function diffLines(
  before: string,
  after: string,
  key: (line: string) => string = (line) => line,
): DiffLine[] {
  const [a, b] = [before.split("\n"), after.split("\n")];
  const changes = diffArrays(a.map(key), b.map(key), { maxEditLength: maxChanges });
  if (!changes)
    return [
      ...a.map((text): DiffLine => ({ kind: "gone", text })),
      ...b.map((text): DiffLine => ({ kind: "new", text })),
    ];
  let [i, j] = [0, 0];
  return changes.flatMap((change) => {
    const kind = kindOf(change);
    const lines = kind === "gone" ? a.slice(i, i + change.count) : b.slice(j, j + change.count);
    if (kind !== "new") i += change.count;
    if (kind !== "gone") j += change.count;
    return lines.map((text) => ({ kind, text }));
  });
}

/** For JSON: ignores a comma at the end of a line, which depends only on whether a line follows. */
export function withoutComma(line: string): string {
  return line.replace(/,\s*$/, "");
}

/** The removed and added words, by lines; undefined for texts that are too long or too different. */
export function diffWords(before: string, after: string): WordLine[] | undefined {
  if (before.length + after.length > maxComparedLength) return undefined;
  const changes = diffWordsWithSpace(before, after, { maxEditLength: maxChanges });
  if (!changes) return undefined;
  const lines: WordLine[] = [[]];
  for (const change of changes) {
    const kind = kindOf(change);
    const texts = change.value.split("\n");
    for (const [index, text] of texts.entries()) {
      const end = kind !== "same" && index < texts.length - 1;
      if (text !== "" || end) lines.at(-1)?.push(end ? { kind, text, end } : { kind, text });
      if (index < texts.length - 1) lines.push([]);
    }
  }
  // After the last line break there is no further line.
  if (lines.at(-1)?.length === 0) lines.pop();
  return lines;
}

export function lineChanged(line: DiffLine): boolean {
  return line.kind !== "same";
}

export function wordsChanged(line: WordLine): boolean {
  return line.some((part) => part.kind !== "same");
}

export interface Hunk<L> {
  lines: L[];
  /** The number of unchanged lines left out before this hunk. */
  skipped: number;
}

/** Only the changes, with a few lines of context. */
export function hunks<L>(
  lines: readonly L[],
  changed: (line: L) => boolean,
  context = 2,
): { hunks: Hunk<L>[]; after: number } {
  const near = new Set<number>();
  for (const [index, line] of lines.entries())
    if (changed(line)) for (let at = index - context; at <= index + context; at++) near.add(at);
  // A note about one left-out line would take as much room as the line itself.
  const [first, last] = [0, lines.length - 1];
  const lone = (index: number) =>
    near.size > 0 && (index === first || near.has(index - 1)) && (index === last || near.has(index + 1));
  const out: Hunk<L>[] = [];
  let skipped = 0;
  for (const [index, line] of lines.entries()) {
    if (!near.has(index) && !lone(index)) {
      skipped++;
      continue;
    }
    if (skipped > 0 || out.length === 0) out.push({ lines: [], skipped });
    skipped = 0;
    out.at(-1)?.lines.push(line);
  }
  return { hunks: out, after: skipped };
}
