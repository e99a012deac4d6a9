import type { Across } from "./data";
import { type Label, stackLabels, textWidth, thinLabels, type ValueAxis, valueAxis } from "./geometry";
import { type MarkKind, markShape, type PathShape, type Shape } from "./scene";
import type { Words } from "./words";

export interface Size {
  width: number;
  height: number;
}

export interface Frame {
  left: number;
  right: number;
  top: number;
  bottom: number;
  axis: ValueAxis;
  shapes: Shape[];
}

const markRow = 14;

/** The value axis with its grid. The width of its labels decides where the plot begins. */
export function frameOf(domain: [number, number], size: Size, words: Words, markRows: number): Frame {
  const top = 10 + (words.unit ? 14 : 0) + markRows * markRow;
  const bottom = size.height - 24;
  const axis = valueAxis(domain, bottom, top);
  const labels = axis.ticks.map(words.tick);
  const left = Math.ceil(Math.max(...labels.map(textWidth))) + 8;
  const right = size.width - 12;
  const shapes: Shape[] = axis.ticks.flatMap((tick, index): Shape[] => {
    const y = Math.round(axis.y(tick)) + 0.5;
    const zero = tick === 0;
    return [
      { kind: "path", d: `M${left},${y}H${right}`, stroke: zero ? "edge" : "line" },
      { kind: "text", x: left - 6, y: y + 3.5, text: labels[index] ?? "", anchor: "end", ink: "subtle" },
    ];
  });
  if (words.unit)
    shapes.push({ kind: "text", x: left - 6, y: 11, text: words.unit, anchor: "end", ink: "subtle" });
  const unit = shapes.at(-1);
  // A long unit begins at the edge instead of leaving the frame.
  if (words.unit && unit?.kind === "text" && textWidth(words.unit) > left - 6)
    Object.assign(unit, { x: 0, anchor: "start" });
  return { left, right, top, bottom, axis, shapes };
}

/** Labels below the plot that do not touch each other. */
export function acrossShapes(labels: readonly Label[], frame: Frame, size: Size): Shape[] {
  return thinLabels(labels, 0, size.width).map((label) => ({
    kind: "text",
    x: label.x,
    y: frame.bottom + 16,
    text: label.text,
    anchor: "middle",
    ink: "subtle",
  }));
}

export interface PlacedMark {
  x: number;
  label: string;
  kind: MarkKind;
}

export const maxMarkRows = 2;

/** How many rows the labels of some marks need above a plot of this width. */
export function markRowsFor(marks: readonly { label: string }[]): number {
  return Math.min(marks.length, maxMarkRows);
}

/** Marks on the lower edge, a line up to each label, and the labels for which there is room. */
export function markShapes(marks: readonly PlacedMark[], frame: Frame): Shape[] {
  const rows = markRowsFor(marks);
  const first = frame.top - rows * markRow;
  const labels = stackLabels(
    marks.map(({ x, label }) => ({ x, text: label })),
    0,
    frame.right + 10,
    rows,
  );
  return marks.flatMap((mark, index): Shape[] => {
    const label = labels[index];
    const from = label ? first + label.row * markRow + 4 : frame.top;
    const stem: PathShape = {
      kind: "path",
      d: `M${Math.round(mark.x) + 0.5},${from}V${frame.bottom}`,
      stroke: "edge",
      dash: "1 3",
    };
    const shapes: Shape[] = [stem, markShape(mark.kind, mark.x, frame.bottom)];
    if (label)
      shapes.push({
        kind: "text",
        x: label.x,
        y: first + label.row * markRow,
        text: label.text,
        anchor: "middle",
        ink: "muted",
        rim: true,
      });
    return shapes;
  });
}

export function isDays(across: Across): across is Extract<Across, { days: readonly string[] }> {
  return "days" in across;
}
