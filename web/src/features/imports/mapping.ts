import type { ImportColumn, Mapped } from "@/api/types.gen";

/** The mapping that a person chose; the service maps the other columns. */
export type Choices = readonly Mapped[];

/**
 * Maps a column of the file; an empty target leaves it out. A column of the table has one source: an
 * earlier choice of the same target is removed.
 */
export function choose(choices: Choices, from: string, to: string): Choices {
  const others = choices.filter((one) => one.from !== from && (to === "" || one.to !== to));
  return [...others, { from, to }];
}

/** The target of a column, also before the service has answered. */
export function targetOf(column: ImportColumn, choices: Choices): string {
  const said = choices.find((one) => one.from === column.from);
  if (said) return said.to;
  return choices.some((one) => one.to === column.to) ? "" : column.to;
}

/** Formats a JSON value for people. */
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
