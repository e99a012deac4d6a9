import type { Deviation } from "@/api/types.gen";
import { formatNumber, formatSum } from "@/lib/format";
import { formatDay } from "@/lib/time";
import { daysApart } from "@/messages/purchasing";

const price = (amount: number, currency: string | undefined, locale: string) =>
  formatSum(Math.abs(Number(amount.toFixed(6))), currency, locale);

/** How a supplier differs from the order: "12 of 20, 3 days later, £0.20 dearer". */
export function deviationWords(
  { ordered, confirmed, currency }: Pick<Deviation, "ordered" | "confirmed" | "currency">,
  locale: string,
): string {
  const said: string[] = [];
  if (Number(confirmed.quantity) !== Number(ordered.quantity))
    said.push(`${formatNumber(confirmed.quantity, locale)} of ${formatNumber(ordered.quantity, locale)}`);
  if (confirmed.expected && confirmed.expected !== ordered.expected) {
    const days = ordered.expected
      ? Math.round((Date.parse(confirmed.expected) - Date.parse(ordered.expected)) / 86_400_000)
      : undefined;
    said.push(
      days === undefined
        ? `on ${formatDay(confirmed.expected, locale)}`
        : daysApart({ count: Math.abs(days), way: days > 0 ? "later" : "earlier" }, locale),
    );
  }
  if (confirmed.price && Number(confirmed.price) !== Number(ordered.price ?? Number.NaN)) {
    const more = Number(confirmed.price) - Number(ordered.price ?? 0);
    said.push(
      ordered.price
        ? `${price(more, currency, locale)} ${more > 0 ? "dearer" : "cheaper"}`
        : `at ${price(more, currency, locale)}`,
    );
  }
  return said.join(", ");
}
