import { startOfDay } from "@/lib/time";
import { type FailureFilter, filterOf, spans } from "./filter";

/** The filter as the service takes it; spans and days become moments. */
export function toQuery(filter: FailureFilter, timeZone: string, now: number) {
  const { since, until, ...rest } = filterOf(filter);
  const span = since === undefined ? undefined : spans[since];
  const start = span ? new Date(now - span.ms) : since && startOfDay(since, timeZone);
  return {
    ...rest,
    ...(start && { since: start.toISOString() }),
    ...(until && { until: startOfDay(until, timeZone, 1).toISOString() }),
  };
}
