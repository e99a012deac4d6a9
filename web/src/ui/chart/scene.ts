/**
 * A chart as a list of shapes. The page shows them as SVG, and the PNG file is painted from the same
 * list: the Content-Security-Policy does not allow drawing an SVG blob on a canvas.
 */
export interface Scene {
  width: number;
  height: number;
  shapes: Shape[];
  /** The x of each data point, ascending; the cursor moves from one to the next. */
  xs: number[];
  /** The plot's upper and lower edge, for the cursor's line. */
  top: number;
  bottom: number;
  /** The y of each value of a point, for the cursor's dots. */
  dots: (index: number) => { y: number; ink: Ink }[];
}

/** Names of colours in tokens.css. */
export type Ink =
  | "series-1"
  | "series-2"
  | "series-3"
  | "series-4"
  | "ink"
  | "muted"
  | "subtle"
  | "line"
  | "edge"
  | "surface"
  | "good-ink"
  | "warn-ink"
  | "bad-ink"
  | "heat-1"
  | "heat-2"
  | "heat-3"
  | "heat-4"
  | "heat-5";

export interface PathShape {
  kind: "path";
  d: string;
  stroke?: Ink;
  fill?: Ink;
  /** The stroke's width; 1 by default. */
  width?: number;
  dash?: string;
  opacity?: number;
}

export interface TextShape {
  kind: "text";
  x: number;
  /** The base line. */
  y: number;
  text: string;
  anchor: "start" | "middle" | "end";
  ink: Ink;
  /** Outlines the text in the background colour, because it may be on a line. */
  rim?: boolean;
}

export type Shape = PathShape | TextShape;

export const fontSize = 11;

export interface SeriesLook {
  ink: Ink;
  /** Lines differ in their dashes as well as in colour. */
  dash?: string;
  /** Bars differ in their fill as well: full, hollow, light. */
  fill: number;
}

export const seriesLooks: readonly SeriesLook[] = [
  { ink: "series-1", fill: 1 },
  { ink: "series-2", dash: "7 4", fill: 0 },
  { ink: "series-3", dash: "2 3", fill: 0.35 },
  { ink: "series-4", dash: "9 3 2 3", fill: 0.7 },
];

export function seriesLook(index: number): SeriesLook {
  return seriesLooks[index % seriesLooks.length] as SeriesLook;
}

export type MarkKind = "arrival" | "out" | "note";

/** Marks differ in shape as well: a triangle, a cross and a diamond. */
export function markShape(kind: MarkKind, x: number, y: number): PathShape {
  const r = Math.round;
  const [cx, cy] = [r(x * 10) / 10, r(y * 10) / 10];
  if (kind === "arrival")
    return { kind: "path", d: `M${cx},${cy - 6}l5,9h-10Z`, fill: "good-ink", stroke: "surface" };
  if (kind === "out")
    return {
      kind: "path",
      d: `M${cx - 4},${cy - 4}l8,8M${cx + 4},${cy - 4}l-8,8`,
      stroke: "bad-ink",
      width: 2.5,
    };
  return { kind: "path", d: `M${cx},${cy - 5}l5,5l-5,5l-5,-5Z`, fill: "muted", stroke: "surface" };
}

export interface LegendItem {
  label: string;
  /** Drawn in a box of 20 by 10. */
  shapes: PathShape[];
}
