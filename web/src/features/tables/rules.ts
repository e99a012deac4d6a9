import type { DefinedColumn } from "@/api/types.gen";

/** The types that people choose from. A reference is a text for the service. */
export const kinds = [
  { value: "text", label: "Text" },
  { value: "number", label: "Number" },
  { value: "boolean", label: "Yes or no" },
  { value: "date", label: "Date" },
  { value: "datetime", label: "Date and time" },
  { value: "uuid", label: "UUID" },
  { value: "reference", label: "A record of another table" },
] as const;

export type Kind = (typeof kinds)[number]["value"];

/** A column's rules in one line. */
export function rulesInWords(column: DefinedColumn): string {
  const kind = column.references
    ? `A record of ${column.references}`
    : (kinds.find(({ value }) => value === column.type)?.label ?? column.type);
  return [
    kind,
    column.required && "required",
    column.people_only && "only people fill it in",
    column.choices &&
      `one of ${column.choices.slice(0, 5).join(", ")}${column.choices.length > 5 ? ", …" : ""}`,
    column.minimum && `at least ${column.minimum}`,
    column.maximum && `at most ${column.maximum}`,
    column.default && `${column.default} if not given`,
  ]
    .filter(Boolean)
    .join(" · ");
}
