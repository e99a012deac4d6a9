import { readPages } from "@/lib/pages";

/** The groups of the queue that have a tab, in the order of the tabs. */
export const tabs = ["order", "expedite", "upcoming", "drafted", "put_off"] as const;

export type QueueTab = (typeof tabs)[number];

/** The state of the page, as the address holds it. */
export interface QueueSearch {
  /** Absent: what to order. */
  tab?: QueueTab | undefined;
  /** A supplier's id, or none for articles without one. */
  supplier?: string | undefined;
  text?: string | undefined;
  /** Shows a block for each supplier. */
  grouped?: boolean | undefined;
  pages?: number | undefined;
  /** The article whose details are open. */
  open?: string | undefined;
}

const id = /^[\w-]{1,100}$/;

/** Reads search parameters; drops values that are not valid. The router parses digits as a number. */
export function readQueueSearch(search: Record<string, unknown>): QueueSearch {
  const { tab, supplier, text, grouped, pages, open } = search;
  const isText = (typeof text === "string" || typeof text === "number") && text !== "";
  return {
    ...(tab !== "order" && tabs.includes(tab as QueueTab) && { tab: tab as QueueTab }),
    ...(typeof supplier === "string" && id.test(supplier) && { supplier }),
    ...(isText && { text: String(text) }),
    ...(grouped === true && { grouped }),
    ...(typeof open === "string" && id.test(open) && { open }),
    ...readPages(pages),
  };
}
