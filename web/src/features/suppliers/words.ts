import type { PriceChange, SupplierDelivery } from "@/api/types.gen";
import { daysEarlyOf, daysLateOf } from "@/messages/suppliers";

/** How a price changed, as a share of the one before. */
export function rise({ last, before }: Pick<PriceChange, "last" | "before">): number {
  return Number(last.price) / Number(before.price) - 1;
}

/** "3 days late", "on time" */
export function lateness({ days_late }: Pick<SupplierDelivery, "days_late">, locale: string): string {
  if (days_late === undefined) return "no day promised";
  if (days_late === 0) return "on time";
  return days_late > 0
    ? daysLateOf({ count: days_late }, locale)
    : daysEarlyOf({ count: -days_late }, locale);
}
