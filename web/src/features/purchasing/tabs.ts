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

/** Further tabs, by the names of the service's filters. */
export const flags = ["closed_short", "overdue", "to_approve", "sent_back", "mine", "undated"] as const;

export type OrdersFlag = (typeof flags)[number];

export type OrdersTab = LineStatus | OrdersFlag;

export function isFlag(value: unknown): value is OrdersFlag {
  return flags.includes(value as OrdersFlag);
}

export function isOrdersTab(value: unknown): value is OrdersTab {
  return isFlag(value) || statuses.includes(value as LineStatus);
}

/** The sort orders of the list; by default newest first. */
export const sorts = ["number", "supplier", "arrival"] as const;

export type OrdersSort = (typeof sorts)[number];

export function isOrdersSort(value: unknown): value is OrdersSort {
  return sorts.includes(value as OrdersSort);
}

/** The filter of the list, as the address holds it. */
export interface OrdersSearch {
  tab?: OrdersTab | undefined;
  text?: string | undefined;
  sort?: OrdersSort | undefined;
  /** How many pages of the list are shown. */
  pages?: number | undefined;
  /** The saved view that this filter started from. */
  view?: string | undefined;
}

/** Reads search parameters; drops values that are not valid. */
export function readOrdersSearch(search: Record<string, unknown>): OrdersSearch {
  const { tab, text, sort, pages, view } = search;
  return {
    ...(isOrdersTab(tab) && { tab }),
    ...(isOrdersSort(sort) && { sort }),
    // The router parses digits in an address as a number.
    ...((typeof text === "string" || typeof text === "number") && text !== "" && { text: String(text) }),
    ...readPages(pages),
    ...readView(view),
  };
}
