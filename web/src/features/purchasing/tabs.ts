import type { Line } from "@/api/types.gen";

export type LineStatus = Line["status"];

/** In the order of a line's life. */
export const statuses = [
  "draft",
  "pending_approval",
  "ordered",
  "partially_received",
  "received",
  "cancelled",
] as const satisfies readonly LineStatus[];

export type OrdersTab = LineStatus | "closed_short" | "overdue";

export function isOrdersTab(value: unknown): value is OrdersTab {
  return value === "overdue" || value === "closed_short" || statuses.includes(value as LineStatus);
}

/** What orders can be sorted by; the newest come first unless something is said. */
export const sorts = ["number", "supplier", "arrival"] as const;

export type OrdersSort = (typeof sorts)[number];

export function isOrdersSort(value: unknown): value is OrdersSort {
  return sorts.includes(value as OrdersSort);
}
