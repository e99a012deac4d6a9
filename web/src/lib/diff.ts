import { diffArrays, diffWordsWithSpace } from "diff";

export type DiffKind = "same" | "gone" | "new";

export interface DiffPart {
  kind: DiffKind;
  text: string;
  /** The end of the line went or came with it. */
  end?: boolean;
}

/** A whole line that is the same, went or came. */
export type DiffLine = DiffPart;

/** A line in which words went and came; one that stayed as it was is a single part. */
export type WordLine = DiffPart[];

// Beyond so many changes it takes long to find the fewest: the texts have little in common, and are
// shown one after the other.
const mostChanges = 1_000;
/** Characters of both texts together; longer ones are compared line by line. */
const mostCompared = 100_000;

const kindOf = (change: { added: boolean; removed: boolean }): DiffKind =>
  change.removed ? "gone" : change.added ? "new" : "same";

/** The lines that went and came between two texts. `key` says what of a line is compared. */
export function diffLines(
  before: string,
  after: string,
  key: (line: string) => string = (line) => line,
): DiffLine[] {
  const [a, b] = [before.split("\n"), after.split("\n")];
  const changes = diffArrays(a.map(key), b.map(key), { maxEditLength: mostChanges });
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

/** For JSON: a comma at the end of a line says nothing of its own, it comes and goes with the line below. */
export function withoutComma(line: string): string {
  return line.replace(/,\s*$/, "");
}

/** The words that went and came, by lines; undefined for texts that are too long or too different. */
export function diffWords(before: string, after: string): WordLine[] | undefined {
  if (before.length + after.length > mostCompared) return undefined;
  const changes = diffWordsWithSpace(before, after, { maxEditLength: mostChanges });
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
  // What follows the last line's end is no line.
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
  /** Unchanged lines left out before it. */
  skipped: number;
}

/** Only what changed, with a few lines around it. */
export function hunks<L>(
  lines: readonly L[],
  changed: (line: L) => boolean,
  context = 2,
): { hunks: Hunk<L>[]; after: number } {
  const near = new Set<number>();
  for (const [index, line] of lines.entries())
    if (changed(line)) for (let at = index - context; at <= index + context; at++) near.add(at);
  // A single line takes no more room than the words that it was left out.
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
