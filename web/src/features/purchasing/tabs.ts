import type { Line } from "@/api/types.gen";
import { readPages, readView } from "@/lib/pages";

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

/** Which orders are meant, as the address says it. */
export interface OrdersSearch {
  tab?: OrdersTab | undefined;
  text?: string | undefined;
  sort?: OrdersSort | undefined;
  /** How many pages of the list are shown. */
  pages?: number | undefined;
  /** The saved view that this began with. */
  view?: string | undefined;
}

/** The address's part behind "?", with what is not understood left out. */
export function readOrdersSearch(search: Record<string, unknown>): OrdersSearch {
  const { tab, text, sort, pages, view } = search;
  return {
    ...(isOrdersTab(tab) && { tab }),
    ...(isOrdersSort(sort) && { sort }),
    // The router reads a number that stands in an address as one.
    ...((typeof text === "string" || typeof text === "number") && text !== "" && { text: String(text) }),
    ...readPages(pages),
    ...readView(view),
  };
}
