import { listSourcesOptions } from "@/api/@tanstack/react-query.gen";
import type { Source, SourceDetail } from "@/api/types.gen";
import type { Bucket } from "@/lib/sparkline";

/** Figures are flushed every five seconds; asking more often would show nothing newer. */
export const refreshEvery = 5_000;

export function sourcesQuery(workspace: string) {
  return { ...listSourcesOptions({ path: { workspace } }), refetchInterval: refreshEvery };
}

/** A record that would be taken, its fields in the order of the columns: the key first. */
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

/** How a source is doing, in one word. */
export function health(source: Source): "waiting" | "failing" | "attention" | "healthy" {
  const { figures } = source;
  if (!figures.last_record_at && figures.failed_24h === 0) return "waiting";
  if (figures.failed_24h > figures.accepted_24h) return "failing";
  return figures.open_failures > 0 ? "attention" : "healthy";
}
