import type { Recommendation } from "@/api/types.gen";

const blocked: Record<string, string> = {
  no_stock: "Stock unknown",
  no_supplier: "No supplier",
  no_price: "No price",
  inactive_supplier: "Supplier inactive",
  new_product: "New article",
  dead: "Hardly sells",
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
