import type { QueueSummary } from "@/api/types.gen";
import { add, compare } from "@/lib/decimal";
import { type Sum, supplierId } from "./model";

/** What picks of a supplier come to, beside the supplier's terms. */
export interface Terms extends Sum {
  minimum?: { value: string; met: boolean };
  /** What is missing for free shipping: 0 or more. */
  toFreeShipping?: string;
}

/** The terms of a supplier, in their currency. */
export function termsOf(
  summary: QueueSummary | undefined,
  supplier: string,
  sums: readonly Sum[],
): Terms | undefined {
  const known = summary?.suppliers.find(
    (one) =>
      supplierId(one.supplier) === supplier && (one.min_order_value ?? one.free_shipping_value) !== undefined,
  );
  return known && termsFor(known, sums);
}

interface SupplierTerms {
  currency?: string;
  min_order_value?: string;
  free_shipping_value?: string;
}

/** What sums of a supplier come to, beside its terms. */
export function termsFor(known: SupplierTerms, sums: readonly Sum[]): Terms | undefined {
  const { currency, min_order_value: minimum, free_shipping_value: free } = known;
  if (!currency || (minimum ?? free) === undefined) return undefined;
  const amount = sums.find((sum) => sum.currency === currency)?.amount ?? "0";
  const reached = (value: string) => compare(amount, value) >= 0;
  return {
    currency,
    amount,
    ...(minimum && { minimum: { value: minimum, met: reached(minimum) } }),
    ...(free && { toFreeShipping: reached(free) ? "0" : add(free, `-${amount}`) }),
  };
}
