/** A period of time, as written in an address. An absent end is open. */
export interface Period {
  /** One of `spans`, counted back from now, or a day such as 2026-03-14 in the workspace's zone. */
  since?: string;
  /** The last day, inclusive. */
  until?: string;
}

const hour = 60 * 60_000;
export const spans: Record<string, { ms: number; label: string }> = {
  "1h": { ms: hour, label: "Last hour" },
  "24h": { ms: 24 * hour, label: "Last 24 hours" },
  "7d": { ms: 7 * 24 * hour, label: "Last 7 days" },
  "30d": { ms: 30 * 24 * hour, label: "Last 30 days" },
};

/** Whether a text is a real day: 2026-02-30 is not. */
export function isDay(value: string | undefined): value is string {
  if (!value || !/^\d{4}-\d\d-\d\d$/.test(value)) return false;
  const read = new Date(`${value}T00:00:00Z`);
  return !Number.isNaN(read.getTime()) && read.toISOString().startsWith(value);
}

/** Reads search parameters; drops values that are not valid. */
export function readPeriod({ since, until }: Record<string, unknown>): Period {
  const found: Period = {};
  if (typeof since === "string" && (since in spans || isDay(since))) found.since = since;
  if (typeof until === "string" && isDay(until)) found.until = until;
  return found;
}
