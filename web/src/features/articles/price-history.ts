import type { ArticleActivity } from "@/api/types.gen";

export interface PriceHistory {
  /** Empty if the records had none. */
  currency: string;
  days: string[];
  series: { label: string; values: (number | null)[] }[];
}

const notPaid = new Set(["draft", "pending_approval", "cancelled"]);

/**
 * The prices of ordered lines and the reported costs, by currency. A price stays until there is
 * another one.
 */
export function priceHistory(
  { lines, costs }: Pick<ArticleActivity, "lines" | "costs">,
  dayOf: (time: string) => string,
): PriceHistory[] {
  const points = [
    ...lines
      .filter(({ status, price }) => price !== undefined && !notPaid.has(status))
      .map(({ price, ordered_at, created_at }) => ({
        label: "Order price",
        at: ordered_at ?? created_at,
        amount: price?.amount ?? "",
        currency: price?.currency ?? "",
      })),
    ...costs
      .filter(({ amount }) => amount !== "")
      .map(({ at, amount, currency }) => ({ label: "Cost of the product", at, amount, currency })),
  ].sort((a, b) => (a.at < b.at ? -1 : 1));
  const currencies = [...new Set(points.map(({ currency }) => currency))].sort();
  return currencies.map((currency) => {
    const own = points.filter((point) => point.currency === currency);
    const days = [...new Set(own.map(({ at }) => dayOf(at)))].sort();
    const labels = [...new Set(own.map(({ label }) => label))].sort().reverse();
    return {
      currency,
      days,
      series: labels.map((label) => {
        let last: number | null = null;
        const byDay = new Map(
          own.filter((point) => point.label === label).map(({ at, amount }) => [dayOf(at), Number(amount)]),
        );
        return {
          label,
          values: days.map((day) => {
            last = byDay.get(day) ?? last;
            return last;
          }),
        };
      }),
    };
  });
}
