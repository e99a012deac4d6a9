import { readPages, readView } from "@/lib/pages";
import { type Period, readPeriod } from "@/lib/period";

/** Which entries are meant, as the address says it. Absent means any. */
export interface AuditSearch extends Period {
  /** A member's id, or a kind of actor such as operator. */
  who?: string;
  /** An action, such as key.issued. */
  what?: string;
  /** The id of what it was done to. */
  about?: string;
  /** How many pages of the list are shown. */
  pages?: number;
  /** The saved view that this began with. */
  view?: string;
}

/** The address's part behind "?", with what is not understood left out. */
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
