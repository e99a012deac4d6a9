export interface DiffLine {
  kind: "same" | "gone" | "new";
  text: string;
}

// A table of more cells would make the page wait; two texts that large are shown one after the other.
const largest = 1_000_000;

/**
 * The lines that went and came between two texts. A comma at the end of a line says nothing of
 * its own: it comes and goes with the line below.
 */
export function diffLines(before: string, after: string): DiffLine[] {
  const a = before.split("\n");
  const b = after.split("\n");
  const equal = (i: number, j: number) => bare(a[i]) === bare(b[j]);
  let head = 0;
  while (head < a.length && head < b.length && equal(head, head)) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && equal(a.length - 1 - tail, b.length - 1 - tail))
    tail++;

  const line = (kind: DiffLine["kind"], text = ""): DiffLine => ({ kind, text });
  const same = (from: number, to: number) => b.slice(from, to).map((text) => line("same", text));
  return [
    ...same(0, head),
    ...middle(a.slice(head, a.length - tail), b.slice(head, b.length - tail), line),
    ...same(b.length - tail, b.length),
  ];
}

function bare(text: string | undefined): string {
  return (text ?? "").replace(/,\s*$/, "");
}

function middle(
  a: string[],
  b: string[],
  line: (kind: DiffLine["kind"], text?: string) => DiffLine,
): DiffLine[] {
  const replaced = [...a.map((text) => line("gone", text)), ...b.map((text) => line("new", text))];
  if (a.length * b.length > largest || a.length === 0 || b.length === 0) return replaced;
  // longest[i][j]: how many lines a from i and b from j have in common.
  const longest = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  const at = (i: number, j: number) => longest[i]?.[j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--) {
      const row = longest[i] as Uint32Array;
      row[j] = bare(a[i]) === bare(b[j]) ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  const out: DiffLine[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && bare(a[i]) === bare(b[j])) {
      out.push(line("same", b[j]));
      i++;
      j++;
    } else if (i < a.length && (j === b.length || at(i + 1, j) >= at(i, j + 1)))
      out.push(line("gone", a[i++]));
    else out.push(line("new", b[j++]));
  }
  return out;
}

export interface Hunk {
  lines: DiffLine[];
  /** Unchanged lines left out before it. */
  skipped: number;
}

/** Only what changed, with a few lines around it. */
export function hunks(lines: DiffLine[], context = 2): { hunks: Hunk[]; after: number } {
  const near = lines.map((_, index) =>
    lines.slice(Math.max(0, index - context), index + context + 1).some((line) => line.kind !== "same"),
  );
  const out: Hunk[] = [];
  let skipped = 0;
  for (const [index, line] of lines.entries()) {
    if (!near[index]) {
      skipped++;
      continue;
    }
    if (skipped > 0 || out.length === 0) out.push({ lines: [], skipped });
    skipped = 0;
    out.at(-1)?.lines.push(line);
  }
  return { hunks: out, after: skipped };
}
