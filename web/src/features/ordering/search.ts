import { readPages } from "@/lib/pages";

/** The state of the page, as the address holds it. */
export interface NewOrderSearch {
  /** A supplier's id. */
  supplier?: string | undefined;
  /** The number of the draft that is edited. */
  order?: string | undefined;
  /** A filter of the articles. */
  text?: string | undefined;
  pages?: number | undefined;
}

const isText = (value: unknown): value is string | number =>
  (typeof value === "string" || typeof value === "number") && value !== "";

/** Reads search parameters; drops values that are not valid. The router parses digits as a number. */
export function readNewOrderSearch(search: Record<string, unknown>): NewOrderSearch {
  const { supplier, order, text, pages } = search;
  return {
    ...(typeof supplier === "string" && /^[\w-]{1,100}$/.test(supplier) && { supplier }),
    ...(isText(order) && { order: String(order) }),
    ...(isText(text) && { text: String(text) }),
    ...readPages(pages),
  };
}
