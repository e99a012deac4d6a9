/** Which entries are meant, as the address says it. Absent means any. */
export interface AuditSearch {
  /** A member's id, or a kind of actor such as operator. */
  who?: string;
  /** An action, such as key.issued. */
  what?: string;
  /** The id of what it was done to. */
  about?: string;
  /** One of `spans`, counted back from now, or a day such as 2026-03-14 in the workspace's zone. */
  since?: string;
  /** A day; it is included. */
  until?: string;
}

const day = 24 * 60 * 60_000;
export const spans: Record<string, { ms: number; label: string }> = {
  "24h": { ms: day, label: "Last 24 hours" },
  "7d": { ms: 7 * day, label: "Last 7 days" },
  "30d": { ms: 30 * day, label: "Last 30 days" },
};

/** A real day as an address names it: 2026-02-30 is none. */
export function isDay(value: string | undefined): value is string {
  if (!value || !/^\d{4}-\d\d-\d\d$/.test(value)) return false;
  const read = new Date(`${value}T00:00:00Z`);
  return !Number.isNaN(read.getTime()) && read.toISOString().startsWith(value);
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
  const { since, until } = search;
  if (typeof since === "string" && (since in spans || isDay(since))) found.since = since;
  if (typeof until === "string" && isDay(until)) found.until = until;
  return found;
}
