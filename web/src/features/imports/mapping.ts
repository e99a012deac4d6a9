import type { ImportColumn, Mapped } from "@/api/types.gen";

/** What a person said of columns of the file; of the others the service knows where they belong. */
export type Choices = readonly Mapped[];

/**
 * Sends a column of the file elsewhere, or leaves it out for an empty target. A column of the table
 * has one source: whoever had it by a person's word loses it.
 */
export function choose(choices: Choices, from: string, to: string): Choices {
  const others = choices.filter((one) => one.from !== from && (to === "" || one.to !== to));
  return [...others, { from, to }];
}

/** Where a column goes, also before the service has answered. */
export function targetOf(column: ImportColumn, choices: Choices): string {
  const said = choices.find((one) => one.from === column.from);
  if (said) return said.to;
  return choices.some((one) => one.to === column.to) ? "" : column.to;
}

/** A value of a record, from its JSON, as people read it. */
export function readValue(json: string): { text: string; empty: boolean } {
  if (json === "null") return { text: "null", empty: true };
  if (!json.startsWith('"')) return { text: json, empty: false };
  try {
    const text = JSON.parse(json) as string;
    return { text, empty: text === "" };
  } catch {
    return { text: json, empty: false };
  }
}
