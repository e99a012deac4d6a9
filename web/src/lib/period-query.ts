import { type Period, spans } from "./period";
import { startOfDay } from "./time";

/** Converts a period's spans and days to moments, as the service expects. */
export function periodQuery({ since, until }: Period, timeZone: string, now: number) {
  const span = since === undefined ? undefined : spans[since];
  const start = span ? new Date(now - span.ms) : since && startOfDay(since, timeZone);
  return {
    ...(start && { since: start.toISOString() }),
    ...(until && { until: startOfDay(until, timeZone, 1).toISOString() }),
  };
}
