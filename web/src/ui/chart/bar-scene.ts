import { scaleBand } from "d3-scale";
import { type ChartData, keysOf } from "./data";
import { acrossShapes, frameOf, isDays, type Size } from "./frame";
import { boxPath, dayNumber, domainOf, shorten } from "./geometry";
import { allValues } from "./line-scene";
import { type Scene, type Shape, seriesLook } from "./scene";
import type { Words } from "./words";

/** A bar for each value; the bars of one day or name are side by side. Bars always begin at zero. */
export function barScene(data: ChartData, size: Size, words: Words): Scene {
  const { across, series } = data;
  const keys = keysOf(across);
  const frame = frameOf(domainOf(allValues(data)), size, words, 0);
  const { axis, left, right } = frame;
  const groups = scaleBand<number>(keys.keys(), [left, right]).paddingInner(0.3).paddingOuter(0.15);
  const bars = scaleBand<number>(series.keys(), [0, groups.bandwidth()]).paddingInner(
    series.length > 1 ? 0.12 : 0,
  );
  const start = (index: number) => groups(index) ?? left;
  const xs = keys.map((_, index) => start(index) + groups.bandwidth() / 2);

  const labels = keys.map((key, index) => ({
    x: xs[index] ?? 0,
    text: isDays(across)
      ? words.dayTick(dayNumber(key), "day", index === 0)
      : shorten(key, Math.max(56, groups.step() - 10)),
  }));
  const zero = axis.y(0);
  const shapes = series.flatMap(({ values }, at): Shape[] => {
    const { ink, fill } = seriesLook(at);
    return values.flatMap((value, index): Shape[] => {
      if (value === null) return [];
      const y = axis.y(value);
      // A hollow bar's edge lies within the bar.
      const rim = Math.min(0.75, bars.bandwidth() / 4);
      const d = boxPath(
        start(index) + (bars(at) ?? 0) + rim,
        Math.min(y, zero),
        bars.bandwidth() - 2 * rim,
        Math.abs(y - zero),
      );
      return [
        ...(fill > 0 ? [{ kind: "path" as const, d, fill: ink, opacity: fill }] : []),
        ...(fill < 1 ? [{ kind: "path" as const, d, stroke: ink, width: 2 * rim }] : []),
      ];
    });
  });
  return {
    ...size,
    shapes: [...frame.shapes, ...shapes, ...acrossShapes(labels, frame, size)],
    xs,
    top: frame.top,
    bottom: frame.bottom,
    dots: (index) =>
      series.flatMap(({ values }, at) => {
        const value = values[index];
        return value === null || value === undefined ? [] : [{ y: axis.y(value), ink: seriesLook(at).ink }];
      }),
  };
}
