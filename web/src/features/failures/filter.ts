import { readPages, readView } from "@/lib/pages";
import { type Period, readPeriod } from "@/lib/period";

export const statuses = ["open", "ignored", "resolved"] as const;
export type FailureStatus = (typeof statuses)[number];

/** Which failures are meant, as the address says it. Absent means any. */
export interface FailureFilter extends Period {
  table?: string;
  code?: string;
  /** "none" stands for reasons that name no field. */
  field?: string;
  /** The id of an API key. */
  key?: string;
  /** In the message or the record's key. */
  text?: string;
}

/** What the addresses of the lists hold. */
export interface FailureSearch extends FailureFilter {
  /** Absent: open. */
  status?: Exclude<FailureStatus, "open">;
  /** The failure that is shown beside the list. */
  open?: string;
  /** How many pages of the list are shown. */
  pages?: number;
  /** The saved view that this began with. */
  view?: string;
}

const id = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The address's part behind "?", with what is not understood left out. */
export function readFilter(search: Record<string, unknown>): FailureFilter {
  const text = (name: string) => {
    // The router reads 007 as text and 7 as a number; both were typed as text.
    const value = search[name];
    return typeof value === "string" || typeof value === "number" ? String(value).slice(0, 200) : undefined;
  };
  const found: FailureFilter = {
    table: text("table"),
    code: text("code"),
    field: text("field"),
    key: id.test(text("key") ?? "") ? text("key") : undefined,
    ...readPeriod(search),
    text: text("text"),
  };
  return dropEmpty(found);
}

export function readSearch(search: Record<string, unknown>): FailureSearch {
  const { status, open } = search;
  return dropEmpty({
    ...readFilter(search),
    status: status === "ignored" || status === "resolved" ? status : undefined,
    open: typeof open === "string" && id.test(open) ? open : undefined,
    ...readPages(search.pages),
    ...readView(search.view),
  });
}

/** Absent and not undefined, so that addresses and query keys stay the same for the same thing. */
function dropEmpty<T extends object>(from: T): T {
  return Object.fromEntries(
    Object.entries(from).filter(([, value]) => value !== undefined && value !== ""),
  ) as T;
}

export function filterOf(search: FailureSearch): FailureFilter {
  const { status: _, open: __, pages: ___, view: ____, ...filter } = search;
  return filter;
}

/** What the other list is to show, too: all that is not of this list alone. */
export function forOtherList(search: FailureSearch): FailureSearch {
  return { ...filterOf(search), ...(search.status && { status: search.status }) };
}

export function isFiltered(filter: FailureFilter): boolean {
  return Object.keys(filterOf(filter)).length > 0;
}

/** How a group is found again. */
export function groupFilter(group: { slug: string; code: string; field: string }): FailureFilter {
  return { table: group.slug, code: group.code, field: group.field || "none" };
}
