import type { Value } from "./geometry";
import type { MarkKind } from "./scene";

/** Days such as 2026-11-03, ascending, or names in display order. */
export type Across = { label: string; days: readonly string[] } | { label: string; names: readonly string[] };

export interface Series {
  label: string;
  /** One value for each day or name; null if unknown. */
  values: readonly Value[];
}

export interface Band {
  /** For example "80 % interval". */
  label: string;
  low: readonly Value[];
  high: readonly Value[];
}

export interface Mark {
  /** A day between the first and the last day of the data, or a name. */
  at: string;
  label: string;
  kind: MarkKind;
}

export interface Rule {
  label: string;
  value: number;
}

export interface ChartData {
  across: Across;
  series: readonly Series[];
  band?: Band | undefined;
  marks?: readonly Mark[] | undefined;
  rule?: Rule | undefined;
}

/** The marks that lie within the chart's days or names, in that order. */
export function marksOf({ across, marks = [] }: ChartData): Mark[] {
  const keys = keysOf(across);
  if (!("days" in across))
    return marks
      .filter(({ at }) => keys.includes(at))
      .sort((a, b) => keys.indexOf(a.at) - keys.indexOf(b.at));
  const [first = "", last = ""] = [keys[0], keys.at(-1)];
  return marks.filter(({ at }) => at >= first && at <= last).sort((a, b) => (a.at < b.at ? -1 : 1));
}

export function keysOf(across: Across): readonly string[] {
  return "days" in across ? across.days : across.names;
}
