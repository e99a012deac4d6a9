import type { Entry } from "@/api/types.gen";
import { agentName, procurementAgent } from "@/lib/agents";

const kinds: Record<string, string> = {
  key: "the key",
  agent: "the agent",
  sync: "a sync",
  operator: "an operator",
  system: "Quayside",
};

/** Names the writer of an entry. */
export function writer({ by_type, by_id, by_name }: Pick<Entry, "by_type" | "by_id" | "by_name">): string {
  if (by_id === procurementAgent) return agentName(by_id);
  if (by_type === "user") return by_name ?? "somebody who has left";
  if (by_type === "sync" && by_name) return by_name;
  const kind = kinds[by_type] ?? by_type;
  return by_name ? `${kind} “${by_name}”` : by_type === "key" ? "a key that is gone" : kind;
}

/** The value that a field had before an entry, as far as older entries tell; they follow it. */
export function valueBefore(entries: readonly Pick<Entry, "values">[], at: number, name: string): unknown {
  return entries.slice(at + 1).find(({ values }) => name in values)?.values[name];
}

export interface Told<T> {
  entry: T;
  /** How many deliveries in a row changed nothing; 0 if this one did, or came too late. `entry` is the newest of them. */
  unchanged: number;
}

/** Merges deliveries without a change: a nightly export would otherwise hide the real changes. */
export function collapse<T extends Pick<Entry, "result" | "by_type" | "by_id">>(entries: T[]): Told<T>[] {
  const told: Told<T>[] = [];
  for (const entry of entries) {
    const before = told.at(-1);
    if (entry.result !== "unchanged") told.push({ entry, unchanged: 0 });
    else if (before && before.unchanged > 0 && sameWriter(before.entry, entry)) before.unchanged++;
    else told.push({ entry, unchanged: 1 });
  }
  return told;
}

function sameWriter<T extends Pick<Entry, "by_type" | "by_id">>(one: T, other: T): boolean {
  return one.by_type === other.by_type && one.by_id === other.by_id;
}
