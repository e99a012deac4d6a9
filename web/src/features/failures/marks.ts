import type { Column, ProblemField } from "@/api/types.gen";
import { usualLeast, usualMost, writeBound } from "@/lib/bounds";
import { members } from "@/lib/json-text";
import { atMostCharacters } from "@/messages/failure";
import type { Mark } from "@/ui/json-text";
import { messageBeside, pointedField, reasonLabel } from "./reasons";

/** The ranges of the record's own fields that the errors name. */
export function marksFor(text: string, errors: readonly ProblemField[]): Mark[] {
  const wrong = new Map(errors.map((error) => [pointedField(error.pointer), error]));
  return members(text).flatMap(({ name, start, end }) => {
    const error = name === "" ? undefined : wrong.get(name);
    return error ? [{ start, end, label: error.detail }] : [];
  });
}

/** The fields that the errors name but the text lacks. */
export function absentFields(text: string, errors: readonly ProblemField[]): string[] {
  const there = new Set(members(text).map((member) => member.name));
  const named = errors.map((error) => pointedField(error.pointer));
  return [...new Set(named)].filter((name) => name !== "" && !there.has(name));
}

export interface Verdict {
  field: string;
  reason: string;
  message: string;
  /** Absent if the error is not about a column. */
  expected: string | undefined;
  /** The value as written; undefined if the record lacks the field. */
  received: string | undefined;
}

/** Each error with the expected and the received value. */
export function verdicts(
  text: string,
  errors: readonly ProblemField[],
  columns: readonly Column[],
  locale: string,
): Verdict[] {
  const sent = members(text);
  return errors.map((error) => {
    const field = pointedField(error.pointer);
    const column = columns.find((one) => one.name === field);
    return {
      field,
      reason: reasonLabel(error.code),
      message: messageBeside(field, error.detail),
      expected: column && expectation(column, error.code, locale),
      // Of repeated names the last one counts, as in most JSON parsers.
      received: sent.findLast((member) => member.name === field)?.value,
    };
  });
}

const types: Record<Column["type"], string> = {
  text: "text",
  number: "a number",
  boolean: "true or false",
  date: "a date such as 2026-03-14",
  datetime: "a time such as 2026-03-14T09:30:00Z",
  uuid: "a UUID",
};

/** Describes the values that a column accepts, for a refusal with this code. */
function expectation(column: Column, code: string, locale: string): string | undefined {
  const { choices, minimum, maximum, references, type } = column;
  if (code === "nul") return "text without the character U+0000";
  if (code === "too_long")
    return column.max_length ? atMostCharacters({ count: column.max_length }, locale) : undefined;
  if (code === "currency") return "a currency code such as EUR";
  if (code === "ambiguous_time" || code === "zero_date") return types[type];
  if (!["required", "type", "choice", "range", "unknown_reference"].includes(code)) return undefined;
  if (choices) return `one of ${choices.join(", ")}`;
  if (references) return `the id of a record in ${references}`;
  // The usual bounds say nothing about a value that is no number.
  if (code !== "range" && minimum === usualLeast && maximum === usualMost) return types[type];
  const least = minimum && writeBound(minimum, locale);
  const most = maximum && writeBound(maximum, locale);
  if (least && most) return `${types[type]} from ${least} to ${most}`;
  if (least) return `${types[type]}, at least ${least}`;
  if (most) return `${types[type]}, at most ${most}`;
  return types[type];
}
