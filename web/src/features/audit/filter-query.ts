import { periodQuery } from "@/lib/period-query";
import type { AuditSearch } from "./filter";

/** Converts the filter to the API's parameters; spans and days become moments. */
export function toQuery({ who, what, about, ...period }: AuditSearch, timeZone: string, now: number) {
  return {
    ...(who && { actor: who }),
    ...(what && { action: what }),
    ...(about && { subject: about }),
    ...periodQuery(period, timeZone, now),
  };
}
