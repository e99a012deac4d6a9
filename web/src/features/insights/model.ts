import type { Row } from "@/api/types.gen";
import { shiftDay } from "@/lib/time";
import type { Mark, Series } from "@/ui/chart";

export const numberOf = (value: unknown): number | null =>
  value === null || value === undefined ? null : Number(value);

export const textOf = (value: unknown): string =>
  value === null || value === undefined ? "" : String(value);

/** A week of sales. */
export interface Week {
  start: string;
  units: number;
  sales: number;
  complete: boolean;
}

/** The weeks of weekly_sales, oldest first. A running week of which no day is over is left out. */
export function weeksOf(rows: readonly Row[]): Week[] {
  return rows
    .filter(({ values }) => Number(values.days_elapsed) > 0)
    .map(({ values }) => ({
      start: textOf(values.week_start),
      units: Number(values.units_net),
      sales: Number(values.net_sales),
      complete: values.is_complete === true,
    }))
    .sort((a, b) => (a.start < b.start ? -1 : 1));
}

/** Weeks that are shown at once: a year, and the running week. */
export const weeksShown = 53;
const yearOfWeeks = 52 * 7;

export interface Compared {
  days: string[];
  units: Series[];
  sales: Series[];
  marks: Mark[];
}

/** The last year's weeks, each beside the week 52 weeks before. */
export function againstLastYear(weeks: readonly Week[]): Compared {
  const shown = weeks.slice(-weeksShown);
  const byStart = new Map(weeks.map((week) => [week.start, week]));
  const before = shown.map(({ start }) => byStart.get(shiftDay(start, -yearOfWeeks)));
  const series = (value: (week: Week) => number): Series[] => [
    { label: "This year", values: shown.map(value) },
    ...(before.some(Boolean)
      ? [{ label: "52 weeks before", values: before.map((week) => (week ? value(week) : null)) }]
      : []),
  ];
  return {
    days: shown.map(({ start }) => start),
    units: series(({ units }) => units),
    sales: series(({ sales }) => sales),
    marks: shown
      .filter(({ complete }) => !complete)
      .map(({ start }) => ({ at: start, label: "Running week", kind: "note" })),
  };
}

/** Counts days by week: how many customers are expected in each. */
export function byWeek(
  days: readonly string[],
  first: string,
  weeks: number,
): { days: string[]; counts: number[] } {
  const starts = Array.from({ length: weeks }, (_, week) => shiftDay(first, week * 7));
  const counts = starts.map((start) => {
    const end = shiftDay(start, 7);
    return days.filter((day) => day >= start && day < end).length;
  });
  return { days: starts, counts };
}
