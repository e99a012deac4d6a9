import { listSourcesOptions } from "@/api/@tanstack/react-query.gen";
import type { Source, SourceDetail } from "@/api/types.gen";
import type { Bucket } from "@/lib/sparkline";

/** The service updates its figures every five seconds, so polling more often is useless. */
export const refreshEvery = 5_000;

export function sourcesQuery(workspace: string) {
  return { ...listSourcesOptions({ path: { workspace } }), refetchInterval: refreshEvery };
}

/** A valid example record, with its fields in the order of the columns: the key first. */
export function exampleRecord(detail: SourceDetail): Record<string, unknown> {
  return Object.fromEntries(
    detail.columns
      .filter((column) => column.name in detail.example)
      .map((column) => [column.name, detail.example[column.name]]),
  );
}

export function buckets(source: Source): Bucket[] {
  return source.figures.by_hour.map((hour) => ({ good: hour.accepted, failed: hour.failed }));
}

/** The status of a source. */
export function health(source: Source): "waiting" | "failing" | "attention" | "healthy" {
  const { figures } = source;
  if (!figures.last_record_at && figures.failed_24h === 0) return "waiting";
  if (figures.failed_24h > figures.accepted_24h) return "failing";
  return figures.open_failures > 0 ? "attention" : "healthy";
}
