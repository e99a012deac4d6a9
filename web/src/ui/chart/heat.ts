import { shorten, textWidth, type Value } from "./geometry";
import { fontSize, type Ink, type Scene, type Shape } from "./scene";

export const heatLevels = 5;

/** The shade of a value, from 1 for the lowest to 5 for the highest; 0 if unknown. */
export function heatLevel(rows: readonly (readonly Value[])[]): (value: Value) => number {
  const known = rows.flat().filter((value) => value !== null);
  const low = known.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const high = known.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  return (value) => {
    if (value === null) return 0;
    // If all values are equal, all get the lightest shade.
    if (low === high) return 1;
    return Math.min(heatLevels, 1 + Math.floor(((value - low) / (high - low)) * heatLevels));
  };
}

interface Heat {
  columns: readonly string[];
  rows: readonly { label: string; values: readonly Value[] }[];
}

const rowHeight = 28;
const columnWidth = 48;
const widestLabel = 200;

/** The heat map as shapes, for its picture. */
export function heatScene({ columns, rows }: Heat, words: (value: number) => string): Scene {
  const level = heatLevel(rows.map(({ values }) => values));
  const left = Math.ceil(Math.min(widestLabel, Math.max(...rows.map(({ label }) => textWidth(label))))) + 8;
  const text = (x: number, y: number, words: string, anchor: "start" | "end", ink: Ink): Shape => ({
    kind: "text",
    x,
    y,
    text: words,
    anchor,
    ink,
  });
  const right = (at: number) => left + (at + 1) * columnWidth - 6;
  const shapes = columns.map((name, at) => text(right(at), fontSize, name, "end", "muted"));
  for (const [row, { label, values }] of rows.entries()) {
    const y = (row + 1) * rowHeight;
    shapes.push(text(0, y, shorten(label, widestLabel), "start", "ink"));
    for (const at of columns.keys()) {
      const value = values[at] ?? null;
      const box = `M${left + at * columnWidth},${y - 18}h${columnWidth - 2}v${rowHeight - 2}h${2 - columnWidth}Z`;
      if (value !== null) shapes.push({ kind: "path", d: box, fill: `heat-${level(value)}` as Ink });
      shapes.push(text(right(at), y, value === null ? "–" : words(value), "end", "ink"));
    }
  }
  const [width, height] = [left + columns.length * columnWidth, (rows.length + 1) * rowHeight];
  return { width, height, shapes, xs: [], top: 0, bottom: height, dots: () => [] };
}
