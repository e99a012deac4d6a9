import type { Month, Recommendation } from "@/api/types.gen";
import { formatSum } from "@/lib/format";
import { dateFormat } from "@/lib/time";
import { budgetLeft, monthOfBudget, monthSpent, notCounted } from "@/messages/procurement";

const blocked: Record<string, string> = {
  no_stock: "Stock unknown",
  no_supplier: "No supplier",
  no_price: "No price",
  inactive_supplier: "Supplier inactive",
  new_product: "New article",
  dead: "Hardly sells",
  lasts_years: "Lasts for years",
  ambiguous_sku: "SKU used twice",
  stale_stock: "Stock is old",
  over_budget: "Over the budget",
  suppressed: "Put off",
};

/** Why agents may not order it, in words. */
export const blockedWords = (reason: string): string => blocked[reason] ?? reason.replaceAll("_", " ");

export const urgencyWords: Record<Recommendation["urgency"], string> = {
  critical: "Critical",
  high: "High",
  medium: "Medium",
  low: "Low",
};

export const reasonText = (row: Pick<Recommendation, "reason">): string =>
  row.reason.map(({ text }) => text).join("");

interface MonthWords {
  spent: string;
  /** Absent without a budget. */
  left?: { text: string; none: boolean };
  /** Absent if all lines are in the sums. */
  notCounted?: string;
}

/** What is spent of a month's budget, in words. */
export function monthWords({ currency, not_counted: count, ...sums }: Month, locale: string): MonthWords {
  const shown = (amount: string) => formatSum(amount, currency, locale);
  const [ordered, drafted] = [shown(sums.ordered), shown(sums.drafted)];
  const rest =
    count > 0
      ? { notCounted: notCounted({ count, currency: currency || "the workspace’s currency" }, locale) }
      : {};
  if (sums.budget === undefined || sums.left === undefined)
    return { spent: monthSpent({ ordered, drafted }, locale), ...rest };
  const none = Number(sums.left) === 0;
  return {
    spent: monthOfBudget({ ordered, drafted, budget: shown(sums.budget) }, locale),
    left: { text: none ? "nothing left" : budgetLeft({ left: shown(sums.left) }, locale), none },
    ...rest,
  };
}

/** "14:02" for a time of today, else with its day. */
export function sinceTime(then: Date, now: Date, locale: string, timeZone: string): string {
  const day = dateFormat(locale, { day: "numeric", month: "short", timeZone });
  const time = dateFormat(locale, { hour: "2-digit", minute: "2-digit", timeZone }).format(then);
  return day.format(then) === day.format(now) ? time : `${day.format(then)}, ${time}`;
}
