import { startOfDay } from "@/lib/time";
import { type AuditSearch, spans } from "./filter";

/** The filter as the service takes it; spans and days become moments. */
export function toQuery({ who, what, about, since, until }: AuditSearch, timeZone: string, now: number) {
  const span = since === undefined ? undefined : spans[since];
  const start = span ? new Date(now - span.ms) : since && startOfDay(since, timeZone);
  return {
    ...(who && { actor: who }),
    ...(what && { action: what }),
    ...(about && { subject: about }),
    ...(start && { since: start.toISOString() }),
    ...(until && { until: startOfDay(until, timeZone, 1).toISOString() }),
  };
}
