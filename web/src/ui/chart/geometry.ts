import { bisectCenter, extent } from "d3-array";
import { scaleLinear } from "d3-scale";
import { area, curveLinear, curveStepAfter, line } from "d3-shape";

/** A value, or null if unknown. */
export type Value = number | null;

const dayLength = 86_400_000;

/** The number of days from 1970 to a day such as 2026-11-03. Calendar days have no zone. */
export function dayNumber(day: string): number {
  return Date.parse(`${day}T00:00:00Z`) / dayLength;
}

export function dayDate(day: number): Date {
  return new Date(day * dayLength);
}

function known(value: Value | undefined): value is number {
  return value !== null && value !== undefined && Number.isFinite(value);
}

export function hasValues(values: Iterable<Value>): boolean {
  for (const value of values) if (known(value)) return true;
  return false;
}

/**
 * The range that an axis must show. It is never empty: a single value, or many equal ones, get
 * space above and below.
 */
export function domainOf(values: Iterable<Value>, { zero = true } = {}): [number, number] {
  const all = [...values].filter(known);
  if (zero) all.push(0);
  const [low = 0, high = 0] = extent(all);
  if (low !== high) return [low, high];
  if (low === 0) return [0, 1];
  const room = Math.abs(low) / 5;
  return [low - room, high + room];
}

export interface ValueAxis {
  y: (value: number) => number;
  ticks: number[];
  low: number;
  high: number;
}

/** An axis with round numbers, about every 44 px, from the bottom of the plot to its top. */
export function valueAxis(domain: [number, number], bottom: number, top: number): ValueAxis {
  const count = Math.max(2, Math.floor((bottom - top) / 44));
  // The ends are rounded more finely than the ticks: a value just below zero needs no whole step.
  const scale = scaleLinear(domain, [bottom, top]).nice(count * 2);
  const [low = 0, high = 1] = scale.domain();
  return { y: scale, ticks: scale.ticks(count), low, high };
}

/** An estimate of a text's width in the chart's font, rather too large than too small. */
export function textWidth(text: string): number {
  let width = 0;
  for (const letter of text) {
    const code = letter.codePointAt(0) ?? 0;
    width += code >= 0x2e80 ? 12 : /[il.,:;'| ]/.test(letter) ? 4 : /[A-Zmw%]/.test(letter) ? 8.4 : 6.8;
  }
  return width;
}

export type DayStep = "day" | "month" | "year";

const daySteps = [1, 2, 7, 14];
const monthSteps = [1, 2, 3, 6, 12, 24, 60, 120, 240, 600];

/**
 * The days to label between two days, at most `most`. Steps of days count from the first day, so
 * that the labels of weekly data are under its points; longer steps begin with a month.
 */
export function dayTicks(first: number, last: number, most: number): { days: number[]; step: DayStep } {
  const room = Math.max(1, most);
  for (const step of daySteps) {
    if (Math.floor((last - first) / step) + 1 > room) continue;
    const count = Math.floor((last - first) / step) + 1;
    return { days: Array.from({ length: count }, (_, index) => first + index * step), step: "day" };
  }
  for (const step of monthSteps) {
    const days = monthStarts(first, last, step);
    if (days.length <= room && days.length > 0) return { days, step: step < 12 ? "month" : "year" };
  }
  return { days: [first], step: "day" };
}

function monthStarts(first: number, last: number, step: number): number[] {
  const start = dayDate(first);
  const days: number[] = [];
  let month = start.getUTCFullYear() * 12 + start.getUTCMonth() + (start.getUTCDate() > 1 ? 1 : 0);
  month = Math.ceil(month / step) * step;
  for (; ; month += step) {
    const day = Date.UTC(Math.floor(month / 12), month % 12) / dayLength;
    if (day > last) return days;
    days.push(day);
  }
}

export interface Label {
  /** The middle of the text. */
  x: number;
  text: string;
}

/** Moves a label into the frame. */
function within(label: Label, left: number, right: number): Label {
  const half = textWidth(label.text) / 2;
  return { ...label, x: Math.max(left + half, Math.min(right - half, label.x)) };
}

const gap = 10;

function apart(a: Label, b: Label): boolean {
  return b.x - textWidth(b.text) / 2 - (a.x + textWidth(a.text) / 2) >= gap;
}

/**
 * Keeps every nth label, with the smallest n at which no label touches the next. So the same number
 * of labels is left out everywhere.
 */
export function thinLabels(labels: readonly Label[], left: number, right: number): Label[] {
  for (let stride = 1; stride <= labels.length; stride++) {
    const kept = labels.filter((_, index) => index % stride === 0).map((one) => within(one, left, right));
    if (kept.every((one, index) => index === 0 || apart(kept[index - 1] as Label, one))) return kept;
  }
  return [];
}

export interface PlacedLabel extends Label {
  row: number;
}

/** Puts each label into the first row with room for it; leaves out labels without room. */
export function stackLabels(
  labels: readonly Label[],
  left: number,
  right: number,
  rows: number,
): (PlacedLabel | undefined)[] {
  const taken: Label[][] = Array.from({ length: rows }, () => []);
  return labels.map((label) => {
    const one = within(label, left, right);
    if (textWidth(one.text) > right - left) return undefined;
    const row = taken.findIndex((there) => there.every((other) => apart(other, one) || apart(one, other)));
    taken[row]?.push(one);
    return row < 0 ? undefined : { ...one, row };
  });
}

/** Shortens a text to a width, with an ellipsis at the end. */
export function shorten(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  const letters = [...text];
  while (letters.length > 1 && textWidth(`${letters.join("")}…`) > width) letters.pop();
  return `${letters.join("").trimEnd()}…`;
}

type Y = (value: number) => number;

const curves = { straight: curveLinear, step: curveStepAfter };
export type Curve = keyof typeof curves;

/** A line through the values, with gaps for missing ones. */
export function linePath(xs: readonly number[], values: readonly Value[], y: Y, curve: Curve): string {
  const path = line<Value>()
    .defined(known)
    .x((_, index) => xs[index] ?? 0)
    .y((value) => y(value ?? 0))
    .curve(curves[curve])
    .digits(2);
  return path([...values]) ?? "";
}

/** The area between two lines, with gaps where either value is missing. */
export function bandPath(
  xs: readonly number[],
  low: readonly Value[],
  high: readonly Value[],
  y: Y,
  curve: Curve,
): string {
  const path = area<Value>()
    .defined((value, index) => known(value) && known(high[index]))
    .x((_, index) => xs[index] ?? 0)
    .y0((value) => y(value ?? 0))
    .y1((_, index) => y(high[index] ?? 0))
    .curve(curves[curve])
    .digits(2);
  return path([...low]) ?? "";
}

/** Points with gaps on both sides: no line leads to them, so each needs a dot. */
export function lonePoints(values: readonly Value[]): number[] {
  return values.flatMap((value, index) =>
    known(value) && !known(values[index - 1]) && !known(values[index + 1]) ? [index] : [],
  );
}

/** The index of the point nearest to x among ascending points; -1 if there are none. */
export function nearestPoint(xs: readonly number[], x: number): number {
  return xs.length === 0 ? -1 : bisectCenter(xs as number[], x);
}

/** The left edge of a tip: beside the cursor, on the side with room, and always inside the frame. */
export function tipLeft(x: number, tip: number, frame: number): number {
  const [after, before] = [x + 10, x - 10 - tip];
  if (x <= frame / 2 && after + tip <= frame) return after;
  if (before >= 0) return before;
  return Math.max(0, Math.min(after, frame - tip));
}

export interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** Whether a line may cross a box, tested with the bounding box of each segment. */
export function crosses(xs: readonly number[], ys: readonly Value[], box: Box): boolean {
  return ys.some((y, index) => {
    if (!known(y)) return false;
    const next = ys[index + 1];
    const [end, to] = known(next) ? [next, xs[index + 1] ?? 0] : [y, xs[index] ?? 0];
    if (to < box.left || (xs[index] ?? 0) > box.right) return false;
    return Math.max(y, end) >= box.top && Math.min(y, end) <= box.bottom;
  });
}

const round = (n: number) => Math.round(n * 100) / 100;

export function dotPath(x: number, y: number, radius: number): string {
  const r = round(radius);
  return `M${round(x - radius)},${round(y)}a${r},${r} 0 1,0 ${2 * r},0a${r},${r} 0 1,0 ${-2 * r},0Z`;
}

export function boxPath(left: number, top: number, width: number, height: number): string {
  return `M${round(left)},${round(top)}h${round(width)}v${round(height)}h${round(-width)}Z`;
}
