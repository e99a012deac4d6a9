import { pageLocale } from "./language";

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

const steps: [limit: number, size: number, unit: Intl.RelativeTimeFormatUnit][] = [
  [hour, minute, "minute"],
  [day, hour, "hour"],
  [14 * day, day, "day"],
  [60 * day, 7 * day, "week"],
  [365 * day, 30 * day, "month"],
  [Number.POSITIVE_INFINITY, 365 * day, "year"],
];

const relative = new Map<string, Intl.RelativeTimeFormat>();
const dates = new Map<string, Intl.DateTimeFormat>();

/** A formatter in the page's language. Cached, because building one costs far more than using it. */
export function dateFormat(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = locale + JSON.stringify(options);
  let found = dates.get(key);
  if (!found) {
    found = new Intl.DateTimeFormat(pageLocale(locale), options);
    dates.set(key, found);
  }
  return found;
}

// "yesterday" is clearer than "1 day ago", but "last week" is vaguer than "1 week ago".
function formatRelative(locale: string, count: number, unit: Intl.RelativeTimeFormatUnit): string {
  const numeric = unit === "day" || unit === "second" ? "auto" : "always";
  const key = `${locale} ${numeric}`;
  let found = relative.get(key);
  if (!found) {
    found = new Intl.RelativeTimeFormat(pageLocale(locale), { numeric });
    relative.set(key, found);
  }
  return found.format(count, unit);
}

/**
 * "5 minutes ago", "in 12 days". Rounds towards now, so that nothing looks older or further away
 * than it is. Says "now" for the first 45 seconds, because counting seconds distracts.
 */
export function relativeTime(then: Date, now: Date, locale: string): string {
  const seconds = (then.getTime() - now.getTime()) / 1000;
  const distance = Math.abs(seconds);
  if (distance < 45) return formatRelative(locale, 0, "second");
  if (distance < minute) return formatRelative(locale, Math.sign(seconds), "minute");
  for (const [limit, size, unit] of steps) {
    if (distance < limit) return formatRelative(locale, Math.trunc(seconds / size), unit);
  }
  return formatRelative(locale, 0, "second");
}

const widest = new Map<string, string>();

/** The longest text that relativeTime returns for times within a year. */
export function widestRelativeTime(locale: string): string {
  let found = widest.get(locale);
  if (found === undefined) {
    const texts = steps
      .filter(([limit]) => limit <= 365 * day)
      .flatMap(([limit, size, unit]) =>
        [1, -1].map((sign) => formatRelative(locale, sign * Math.trunc((limit - 1) / size), unit)),
      );
    found = texts.reduce((long, text) => (text.length > long.length ? text : long));
    widest.set(locale, found);
  }
  return found;
}

/** The full moment in the workspace's zone, with the zone named. */
export function absoluteTime(then: Date, locale: string, timeZone: string): string {
  return dateFormat(locale, {
    weekday: "short",
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    timeZone,
    timeZoneName: "short",
  }).format(then);
}

/** A calendar day, such as 2026-03-14. It has no zone, so no zone may shift it. */
export function formatDay(day: string, locale: string, style?: Intl.DateTimeFormatOptions): string {
  const date = new Date(`${day}T00:00:00Z`);
  if (Number.isNaN(date.getTime())) return day;
  return dateFormat(locale, { ...(style ?? { dateStyle: "medium" }), timeZone: "UTC" }).format(date);
}

/** The day in a zone at a moment, as YYYY-MM-DD. */
export function dayIn(timeZone: string, at: Date): string {
  return dateFormat("en-CA", { timeZone, year: "numeric", month: "2-digit", day: "2-digit" }).format(at);
}

/** A zone's offset from UTC at a moment, in milliseconds. */
function clockOffset(at: number, timeZone: string): number {
  const parts = dateFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  }).formatToParts(at);
  const part = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((p) => p.type === type)?.value);
  const shown = Date.UTC(
    part("year"),
    part("month") - 1,
    part("day"),
    part("hour"),
    part("minute"),
    part("second"),
  );
  return shown - Math.floor(at / 1000) * 1000;
}

/** The moment at which a day such as 2026-03-14 begins in a zone; `later` adds days. */
export function startOfDay(day: string, timeZone: string, later = 0): Date {
  const utc = new Date(`${day}T00:00:00Z`).setUTCDate(Number(day.slice(8, 10)) + later);
  // Computed twice: on a day on which clocks change, the first result may be an hour off.
  const close = utc - clockOffset(utc, timeZone);
  const start = utc - clockOffset(close, timeZone);
  // Where clocks are put forward at midnight there is no midnight, and the day begins with the change.
  const isEveningBefore = start + clockOffset(start, timeZone) < utc;
  return new Date(isEveningBefore ? close : start);
}

/** The day that lies a number of days after another, or before it. */
export function shiftDay(day: string, by: number): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + by);
  return date.toISOString().slice(0, 10);
}
