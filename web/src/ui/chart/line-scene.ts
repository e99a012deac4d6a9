import { type ChartData, keysOf, marksOf, type Rule } from "./data";
import { acrossShapes, type Frame, frameOf, isDays, markRowsFor, markShapes, type Size } from "./frame";
import {
  bandPath,
  type Curve,
  crosses,
  dayNumber,
  dayTicks,
  domainOf,
  dotPath,
  linePath,
  lonePoints,
  shorten,
  textWidth,
  type Value,
} from "./geometry";
import { type Scene, type Shape, seriesLook } from "./scene";
import type { Words } from "./words";

export interface LineOptions {
  curve: Curve;
  /** Whether the axis includes zero. Switch it off only if differences matter more than amounts. */
  zero: boolean;
  /** Shades the area below zero. */
  shortage: boolean;
}

/** Every value that the axis must cover. */
export function allValues({ series, band, rule }: ChartData): Value[] {
  return [
    ...series.flatMap((one) => one.values),
    ...(band ? [...band.low, ...band.high] : []),
    ...(rule ? [rule.value] : []),
  ];
}

/** The positions of days, or of names at equal distances, between two edges. */
function places({ across }: ChartData, left: number, right: number): (key: string) => number {
  const keys = keysOf(across);
  const at = isDays(across) ? dayNumber : (key: string) => keys.indexOf(key);
  const [first, last] = [at(keys[0] ?? ""), at(keys.at(-1) ?? "")];
  const middle = (left + right) / 2;
  return (key) => (first === last ? middle : left + ((at(key) - first) / (last - first)) * (right - left));
}

export function lineScene(data: ChartData, size: Size, words: Words, options: LineOptions): Scene {
  const { across, series, band, rule } = data;
  const marks = marksOf(data);
  const { curve, zero, shortage } = options;
  const frame = frameOf(domainOf(allValues(data), { zero }), size, words, markRowsFor(marks));
  const { axis, left, right } = frame;
  const x = places(data, left + 6, right - 6);
  const xs = keysOf(across).map(x);
  const { y } = axis;

  const shapes = [...frame.shapes, ...acrossShapes(acrossLabels(data, frame, x, words), frame, size)];
  if (band) {
    shapes.push({
      kind: "path",
      d: bandPath(xs, band.low, band.high, y, curve),
      fill: "series-1",
      opacity: 0.16,
    });
    for (const edge of [band.low, band.high])
      shapes.push({
        kind: "path",
        d: linePath(xs, edge, y, curve),
        stroke: "series-1",
        dash: "1 3",
      });
  }
  if (shortage)
    for (const { values } of series)
      shapes.push({ kind: "path", d: shortagePath(xs, values, y, curve), fill: "bad-ink", opacity: 0.25 });
  shapes.push(
    ...markShapes(
      marks.map(({ at, label, kind }) => ({ x: x(at), label, kind })),
      frame,
    ),
  );
  if (rule)
    shapes.push(
      ...ruleShapes(
        rule,
        frame,
        series.map(({ values }) => values.map((value) => (value === null ? null : y(value)))),
        xs,
      ),
    );
  series.forEach(({ values }, index) => {
    const { ink, dash } = seriesLook(index);
    shapes.push({
      kind: "path",
      d: linePath(xs, values, y, curve),
      stroke: ink,
      width: 2,
      ...(dash ? { dash } : {}),
    });
    for (const point of lonePoints(values))
      shapes.push({ kind: "path", d: dotPath(xs[point] ?? 0, y(values[point] ?? 0), 3), fill: ink });
  });
  return {
    ...size,
    shapes,
    xs,
    top: frame.top,
    bottom: frame.bottom,
    dots: (index) =>
      series.flatMap(({ values }, at) => {
        const value = values[index];
        return value === null || value === undefined ? [] : [{ y: y(value), ink: seriesLook(at).ink }];
      }),
  };
}

function acrossLabels({ across }: ChartData, frame: Frame, x: (key: string) => number, words: Words) {
  const room = frame.right - frame.left;
  if (!isDays(across)) {
    const widest = Math.max(48, room / Math.max(1, across.names.length) - 10);
    return across.names.map((name) => ({ x: x(name), text: shorten(name, widest) }));
  }
  const { days } = across;
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return [];
  const most = Math.floor(room / (textWidth(words.dayTick(dayNumber(first), "month", true)) + 12));
  const ticks = dayTicks(dayNumber(first), dayNumber(last), most);
  return ticks.days.map((day, index) => ({
    x: x(new Date(day * 86_400_000).toISOString().slice(0, 10)),
    text: words.dayTick(day, ticks.step, index === 0),
  }));
}

/** A rule's line, and its label at an end that no line crosses, if any. The legend names the rule too. */
function ruleShapes(rule: Rule, frame: Frame, lines: readonly (readonly Value[])[], xs: readonly number[]) {
  const y = Math.round(frame.axis.y(rule.value)) + 0.5;
  const shapes: Shape[] = [
    { kind: "path", d: `M${frame.left},${y}H${frame.right}`, stroke: "warn-ink", dash: "6 4" },
  ];
  const width = textWidth(rule.label);
  const spots = [y - 5, y + 13].flatMap((base) => [
    { base, left: frame.right - width },
    { base, left: frame.left + 4 },
  ]);
  const free = spots.find(
    ({ base, left }) =>
      base - 11 > frame.top &&
      base + 2 < frame.bottom &&
      lines.every(
        (line) => !crosses(xs, line, { left, right: left + width, top: base - 11, bottom: base + 4 }),
      ),
  );
  if (free)
    shapes.push({
      kind: "text",
      x: free.left,
      y: free.base,
      text: rule.label,
      anchor: "start",
      ink: "warn-ink",
      rim: true,
    });
  return shapes;
}

function shortagePath(
  xs: readonly number[],
  values: readonly Value[],
  y: (v: number) => number,
  curve: Curve,
) {
  const below = values.map((value) => (value === null ? null : Math.min(0, value)));
  return bandPath(
    xs,
    below,
    below.map((value) => (value === null ? null : 0)),
    y,
    curve,
  );
}
