import { periodQuery } from "@/lib/period-query";
import { type FailureFilter, filterOf } from "./filter";

/** Converts the filter to the API's parameters; spans and days become moments. */
export function toQuery(filter: FailureFilter, timeZone: string, now: number) {
  const { since, until, ...rest } = filterOf(filter);
  return { ...rest, ...periodQuery({ ...(since && { since }), ...(until && { until }) }, timeZone, now) };
}
