import type { Column, ProblemField } from "@/api/types.gen";
import { members } from "@/lib/json-text";
import type { Mark } from "@/ui/json-text";
import { expectation, messageBeside, pointedField, reasonLabel } from "./reasons";

/** The fields of a text that the errors name, wherever the record itself has them. */
export function marksFor(text: string, errors: readonly ProblemField[]): Mark[] {
  const wrong = new Map(errors.map((error) => [pointedField(error.pointer), error]));
  return members(text).flatMap(({ name, start, end }) => {
    const error = name === "" ? undefined : wrong.get(name);
    return error ? [{ start, end, label: error.detail }] : [];
  });
}

/** The fields that the errors name and the text does not have. */
export function absentFields(text: string, errors: readonly ProblemField[]): string[] {
  const there = new Set(members(text).map((member) => member.name));
  const named = errors.map((error) => pointedField(error.pointer));
  return [...new Set(named)].filter((name) => name !== "" && !there.has(name));
}

export interface Verdict {
  field: string;
  reason: string;
  message: string;
  /** Absent where no column is concerned. */
  expected: string | undefined;
  /** As it is written; undefined where the record does not have the field. */
  received: string | undefined;
}

/** Each error with what its column takes against what came. */
export function verdicts(
  text: string,
  errors: readonly ProblemField[],
  columns: readonly Column[],
): Verdict[] {
  const sent = members(text);
  return errors.map((error) => {
    const field = pointedField(error.pointer);
    const column = columns.find((one) => one.name === field);
    return {
      field,
      reason: reasonLabel(error.code),
      message: messageBeside(field, error.detail),
      expected: column && expectation(column, error.code),
      // Of repeated names the last one counts, as almost everywhere.
      received: sent.findLast((member) => member.name === field)?.value,
    };
  });
}
