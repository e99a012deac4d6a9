import { readPages, readView } from "@/lib/pages";
import { type Period, readPeriod } from "@/lib/period";

/** The filter, as the address holds it. An absent field means any. */
export interface AuditSearch extends Period {
  /** A member's id, or a kind of actor such as operator. */
  who?: string;
  /** An action, such as key.issued. */
  what?: string;
  /** The subject's id. */
  about?: string;
  /** How many pages of the list are shown. */
  pages?: number;
  /** The saved view that this filter started from. */
  view?: string;
}

/** Reads search parameters; drops values that are not valid. */
export function readSearch(search: Record<string, unknown>): AuditSearch {
  const found: AuditSearch = {};
  for (const name of ["who", "what", "about"] as const) {
    // The router reads a text of digits as a number.
    const value = search[name];
    if ((typeof value === "string" || typeof value === "number") && value !== "")
      found[name] = String(value).slice(0, 100);
  }
  return { ...found, ...readPeriod(search), ...readPages(search.pages), ...readView(search.view) };
}
