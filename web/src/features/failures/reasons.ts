import type { Column } from "@/api/types.gen";

const labels: Record<string, string> = {
  required: "Missing value",
  type: "Wrong type",
  choice: "Not a choice",
  range: "Out of range",
  unknown_reference: "Unknown reference",
  duplicate_key: "Duplicate key",
  too_long: "Too long",
  currency: "Unknown currency",
  ambiguous_time: "Seconds or milliseconds",
  nul: "Forbidden character",
  constraint: "Breaks a rule",
  recommendation_locked: "Ordered already",
  fault: "Fault of Quayside",
};

/** The reason in words; one that is new to this screen stays readable. */
export function reasonLabel(code: string): string {
  const known = labels[code];
  if (known) return known;
  const words = code.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const types: Record<Column["type"], string> = {
  text: "text",
  number: "a number",
  boolean: "true or false",
  date: "a date such as 2026-03-14",
  datetime: "a time such as 2026-03-14T09:30:00Z",
  uuid: "a UUID",
};

/** What a column takes, in a few words, where a value was refused for a reason. */
export function expectation(column: Column, code: string): string | undefined {
  const { choices, minimum, maximum, references, type } = column;
  if (code === "nul") return "text without the character U+0000";
  if (code === "too_long") return column.max_length ? `at most ${column.max_length} characters` : undefined;
  if (code === "currency") return "a currency code such as EUR";
  if (code === "ambiguous_time") return types[type];
  if (!["required", "type", "choice", "range", "unknown_reference"].includes(code)) return undefined;
  if (choices) return `one of ${choices.join(", ")}`;
  if (references) return `the id of a record in ${references}`;
  if (minimum && maximum) return `${types[type]} from ${minimum} to ${maximum}`;
  if (minimum) return `${types[type]}, at least ${minimum}`;
  if (maximum) return `${types[type]}, at most ${maximum}`;
  return types[type];
}

/** A message that stands beside its field's name needs not begin with it. */
export function messageBeside(field: string | undefined, message: string): string {
  return field && message.startsWith(`${field}: `) ? message.slice(field.length + 2) : message;
}

/** The field that an error's pointer names; empty for the record as a whole. */
export function pointedField(pointer: string): string {
  return pointer.replace(/^#\/?/, "");
}
