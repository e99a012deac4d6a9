import type { Row } from "@/api/types.gen";
import type { Arrival, Band, Mark, Series } from "@/ui/chart";

const dayMs = 24 * 60 * 60 * 1000;

export function addDays(day: string, count: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + count * dayMs).toISOString().slice(0, 10);
}

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
  /** Days without stock; null for the total, or before the first sale. */
  empty: number | null;
}

/** The weeks of weekly_sales, oldest first. A running week of which no day is over is left out. */
export function weeksOf(rows: readonly Row[]): Week[] {
  const weeks = rows
    .filter(({ values }) => Number(values.days_elapsed) > 0)
    .map(({ values }) => {
      const stocked = numberOf(values.in_stock_days);
      return {
        start: textOf(values.week_start),
        units: Number(values.units_net),
        sales: Number(values.net_sales),
        complete: values.is_complete === true,
        empty: stocked === null ? null : Math.max(0, Number(values.days_elapsed) - stocked),
      };
    })
    .sort((a, b) => (a.start < b.start ? -1 : 1));
  // Days before the first sale are not days without stock.
  return weeks.map((week, index) => (index === 0 ? { ...week, empty: null } : week));
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
  const before = shown.map(({ start }) => byStart.get(addDays(start, -yearOfWeeks)));
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

/** What an article is expected to sell. */
export interface Forecast {
  next30: number;
  next90: number;
  low30: number;
  high30: number;
}

export function forecastOf({ values }: Row): Forecast {
  return {
    next30: Number(values.forecast_30),
    next90: Number(values.forecast_90),
    low30: Number(values.low_30),
    high30: Number(values.high_30),
  };
}

/** The expected units of a day, counted from 0: the next 30 days, then the 60 after. */
export function demandOn(day: number, { next30, next90 }: Forecast): number {
  return day < 30 ? next30 / 30 : Math.max(0, next90 - next30) / 60;
}

const weeksAhead = 12;

export interface Demand {
  days: string[];
  series: Series[];
  band: Band;
  marks: Mark[];
}

/**
 * An article's weeks, and the forecast of the next ones from `today`. The range is known for 30 days
 * together, so it is shown as the weekly average of these. `out` names days without stock.
 */
export function demandOf(
  weeks: readonly Week[],
  forecast: Forecast,
  today: string,
  out: (days: number) => string,
): Demand {
  const past = weeks.filter(({ complete }) => complete).slice(-52);
  const last = past.at(-1);
  const next = last ? addDays(last.start, 7) : today;
  const ahead = Array.from({ length: weeksAhead }, (_, week) => addDays(next, week * 7));
  const none = past.map(() => null);
  const perWeek = (units: number, week: number) => (week < 5 ? (units / 30) * 7 : null);
  return {
    days: [...past.map(({ start }) => start), ...ahead],
    series: [
      { label: "Sold", values: [...past.map(({ units }) => units), ...ahead.map(() => null)] },
      { label: "Forecast", values: [...none, ...ahead.map((_, week) => demandOn(week * 7, forecast) * 7)] },
    ],
    band: {
      label: "8 of 10 cases, 30 days",
      low: [...none, ...ahead.map((_, week) => perWeek(forecast.low30, week))],
      high: [...none, ...ahead.map((_, week) => perWeek(forecast.high30, week))],
    },
    marks: past.flatMap(({ start, empty }) => (empty ? [{ at: start, label: out(empty), kind: "out" }] : [])),
  };
}

const projectedDays = 90;
/** A late delivery is expected in a week. */
const lateBy = 7;

/** What is on its way, from open purchase order lines. A line without a day is left out. */
export function arrivalsOf(rows: readonly Row[], today: string): Arrival[] {
  return rows.flatMap(({ values }) => {
    const due = textOf(values.expected_arrival_date);
    const quantity = Number(values.quantity_ordered ?? 0) - Number(values.quantity_received ?? 0);
    if (!due || quantity <= 0) return [];
    const late = due < today;
    const order = textOf(values.order_no);
    return [{ day: late ? addDays(today, lateBy) : due, quantity, label: late ? `${order}, late` : order }];
  });
}

/** The stock at the end of each of the next days. */
export function projected(
  available: number,
  forecast: Forecast,
  arrivals: readonly Arrival[],
  today: string,
) {
  const days = Array.from({ length: projectedDays }, (_, day) => addDays(today, day));
  let stock = available;
  const left = days.map((day, index) => {
    for (const arrival of arrivals) if (arrival.day === day) stock += arrival.quantity;
    stock -= demandOn(index, forecast);
    return Math.round(stock * 10) / 10;
  });
  return { days, left };
}

/** Counts days by week: how many customers are expected in each. */
export function byWeek(
  days: readonly string[],
  first: string,
  weeks: number,
): { days: string[]; counts: number[] } {
  const starts = Array.from({ length: weeks }, (_, week) => addDays(first, week * 7));
  const counts = starts.map((start) => {
    const end = addDays(start, 7);
    return days.filter((day) => day >= start && day < end).length;
  });
  return { days: starts, counts };
}
