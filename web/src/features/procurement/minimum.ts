import type { QueueSummary } from "@/api/types.gen";
import { compare } from "@/lib/decimal";
import { type Sum, supplierId } from "./model";

export interface MinimumOrder extends Sum {
  minimum: string;
  met: boolean;
}

/** What picks of a supplier come to, beside the supplier's minimum. */
export function minimumOrder(
  summary: QueueSummary | undefined,
  supplier: string,
  sums: readonly Sum[],
): MinimumOrder | undefined {
  const known = summary?.suppliers.find(
    (one) => supplierId(one.supplier) === supplier && one.min_order_value !== undefined,
  );
  if (!known?.min_order_value || !known.currency) return undefined;
  const { currency, min_order_value: minimum } = known;
  const amount = sums.find((sum) => sum.currency === currency)?.amount ?? "0";
  return { currency, amount, minimum, met: compare(amount, minimum) >= 0 };
}
