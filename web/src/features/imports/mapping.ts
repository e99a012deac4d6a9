import type { Column, ImportColumn, Mapped } from "@/api/types.gen";

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

/** Says how the values of a column are read, beside where it goes. */
export function refine(
  choices: Choices,
  column: ImportColumn,
  change: Pick<Mapped, "form" | "values">,
): Choices {
  const said = choices.find((one) => one.from === column.from);
  const others = choices.filter((one) => one.from !== column.from);
  return [...others, { ...said, from: column.from, to: targetOf(column, choices), ...change }];
}

/** A column whose own values say how it is written, if all such columns of the kind say the same. */
export function agreed(columns: readonly ImportColumn[], asked: ImportColumn): ImportColumn | undefined {
  const sure = columns.filter(
    ({ from, reading }) =>
      from !== asked.from && reading?.kind === asked.reading?.kind && reading?.verdict === "settled",
  );
  return sure.every(({ reading }) => reading?.form === sure[0]?.reading?.form) ? sure[0] : undefined;
}

/** The target of a column, also before the service has answered. */
export function targetOf(column: ImportColumn, choices: Choices): string {
  const said = choices.find((one) => one.from === column.from);
  if (said) return said.to;
  return choices.some((one) => one.to === column.to) ? "" : column.to;
}

/** What a column of the table is called; its name if the table is not known yet. */
export function labelOf(columns: readonly Column[], name: string): string {
  return columns.find((column) => column.name === name)?.label ?? name;
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
