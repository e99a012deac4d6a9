import { readPages, readView } from "@/lib/pages";
import { type Period, readPeriod } from "@/lib/period";

export const statuses = ["open", "ignored", "resolved"] as const;
export type FailureStatus = (typeof statuses)[number];

/** The filter, as the address holds it. An absent field means any. */
export interface FailureFilter extends Period {
  table?: string;
  code?: string;
  /** "none" means errors without a field. */
  field?: string;
  /** The id of an API key. */
  key?: string;
  /** Text in the message or the record's key. */
  text?: string;
}

/** The search parameters of the lists. */
export interface FailureSearch extends FailureFilter {
  /** Absent means open. */
  status?: Exclude<FailureStatus, "open">;
  /** The failure that is shown beside the list. */
  open?: string;
  /** How many pages of the list are shown. */
  pages?: number;
  /** The saved view that this filter started from. */
  view?: string;
}

const id = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Reads search parameters; drops values that are not valid. */
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

/** Removes undefined fields, so that equal filters have equal addresses and query keys. */
function dropEmpty<T extends object>(from: T): T {
  return Object.fromEntries(
    Object.entries(from).filter(([, value]) => value !== undefined && value !== ""),
  ) as T;
}

export function filterOf(search: FailureSearch): FailureFilter {
  const { status: _, open: __, pages: ___, view: ____, ...filter } = search;
  return filter;
}

/** The parameters that the other list shares, without those of this list alone. */
export function forOtherList(search: FailureSearch): FailureSearch {
  return { ...filterOf(search), ...(search.status && { status: search.status }) };
}

export function isFiltered(filter: FailureFilter): boolean {
  return Object.keys(filterOf(filter)).length > 0;
}

/** The filter that selects a group. */
export function groupFilter(group: { slug: string; code: string; field: string }): FailureFilter {
  return { table: group.slug, code: group.code, field: group.field || "none" };
}
