export const statuses = ["open", "ignored", "resolved"] as const;
export type FailureStatus = (typeof statuses)[number];

/** Which failures are meant, as the address says it. Absent means any. */
export interface FailureFilter {
  table?: string;
  code?: string;
  /** "none" stands for reasons that name no field. */
  field?: string;
  /** The id of an API key. */
  key?: string;
  /** One of `spans`, counted back from now, or a day such as 2026-03-14 in the workspace's zone. */
  since?: string;
  /** A day; it is included. */
  until?: string;
  /** In the message or the record's key. */
  text?: string;
}

/** What the addresses of the lists hold. */
export interface FailureSearch extends FailureFilter {
  /** Absent: open. */
  status?: Exclude<FailureStatus, "open">;
  /** The failure that is shown beside the list. */
  open?: string;
}

const minute = 60_000;
export const spans: Record<string, { ms: number; label: string }> = {
  "1h": { ms: 60 * minute, label: "Last hour" },
  "24h": { ms: 24 * 60 * minute, label: "Last 24 hours" },
  "7d": { ms: 7 * 24 * 60 * minute, label: "Last 7 days" },
  "30d": { ms: 30 * 24 * 60 * minute, label: "Last 30 days" },
};

const id = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A real day as an address names it: 2026-02-30 is none. */
export function isDay(value: string | undefined): boolean {
  if (!value || !/^\d{4}-\d\d-\d\d$/.test(value)) return false;
  const read = new Date(`${value}T00:00:00Z`);
  return !Number.isNaN(read.getTime()) && read.toISOString().startsWith(value);
}

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
    since: text("since") && (text("since") as string) in spans ? text("since") : day(text("since")),
    until: day(text("until")),
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
  });
}

function day(value: string | undefined): string | undefined {
  return isDay(value) ? value : undefined;
}

/** Absent and not undefined, so that addresses and query keys stay the same for the same thing. */
function dropEmpty<T extends object>(from: T): T {
  return Object.fromEntries(
    Object.entries(from).filter(([, value]) => value !== undefined && value !== ""),
  ) as T;
}

export function filterOf(search: FailureSearch): FailureFilter {
  const { status: _, open: __, ...filter } = search;
  return filter;
}

export function isFiltered(filter: FailureFilter): boolean {
  return Object.keys(filterOf(filter)).length > 0;
}

/** How a group is found again. */
export function groupFilter(group: { slug: string; code: string; field: string }): FailureFilter {
  return { table: group.slug, code: group.code, field: group.field || "none" };
}
