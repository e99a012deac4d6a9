import type { ChartData, Mark } from "./data";
import { dayNumber } from "./geometry";
import type { Words } from "./words";

export interface Arrival {
  day: string;
  quantity: number;
  /** For example the order's number. */
  label: string;
}

export interface Stock {
  /** Every day of the projection, ascending. */
  days: readonly string[];
  /** The stock at the end of each day; negative for backorders. */
  left: readonly (number | null)[];
  arrivals?: readonly Arrival[] | undefined;
  reorderPoint?: number | undefined;
}

/** The first day on which the stock is zero or less. */
export function runsOut({ days, left }: Stock): string | undefined {
  const index = left.findIndex((value) => value !== null && value <= 0);
  return index < 0 ? undefined : days[index];
}

export function stockData(stock: Stock): ChartData {
  const { days, left, arrivals = [], reorderPoint } = stock;
  const out = runsOut(stock);
  const marks: Mark[] = arrivals.map(({ day, label }) => ({ at: day, label, kind: "arrival" }));
  if (out) marks.push({ at: out, label: "Runs out", kind: "out" });
  return {
    across: { label: "Day", days },
    series: [{ label: "Projected stock", values: left }],
    marks,
    rule: reorderPoint === undefined ? undefined : { label: "Reorder point", value: reorderPoint },
  };
}

export function stockSummary(stock: Stock, words: Words): string {
  const { days, left, arrivals = [], reorderPoint } = stock;
  const day = (text: string) => words.date(dayNumber(text));
  const out = runsOut(stock);
  const last = days.at(-1);
  const sentences = [
    out === undefined
      ? last === undefined
        ? ""
        : `Lasts beyond ${day(last)}.`
      : out === days[0]
        ? "Out of stock."
        : `Runs out on ${day(out)}.`,
  ];
  const low = left.findIndex(
    (value) => value !== null && reorderPoint !== undefined && value <= reorderPoint,
  );
  if (reorderPoint !== undefined)
    sentences.push(
      low < 0
        ? `Stays above the reorder point of ${words.value(reorderPoint)}.`
        : `At the reorder point of ${words.value(reorderPoint)} or below from ${day(days[low] ?? "")}.`,
    );
  if (arrivals.length > 3) sentences.push(`${arrivals.length} arrivals.`);
  else if (arrivals.length > 0)
    sentences.push(
      `Arrives: ${arrivals.map((one) => `${words.value(one.quantity)} on ${day(one.day)} (${one.label})`).join(", ")}.`,
    );
  return sentences.filter(Boolean).join(" ");
}
