import type { ColumnRules, ColumnTrial, DefinedColumn, SourceTrial, TrialExample } from "@/api/types.gen";
import { usualLeast, usualMost } from "@/lib/bounds";
import {
  allFine,
  refusedOf,
  rowsBreak,
  rowsConvert,
  rowsEmptied,
  rowsLooked,
  rowsMissing,
} from "@/messages/tables";

/** Whether a column would get another type, which converts its stored values. */
export const retypes = (before: DefinedColumn | undefined, after: ColumnRules) =>
  before !== undefined && before.type !== after.type;

/** Whether new rules may refuse what the old ones took. A new column refuses nothing unless it is required. */
export function tightens(before: DefinedColumn | undefined, after: ColumnRules): boolean {
  if (!before) return after.required === true;
  if (retypes(before, after)) return true;
  const higher = (now = usualLeast, was = usualLeast) => Number(now) > Number(was);
  const lower = (now = usualMost, was = usualMost) => Number(now) < Number(was);
  return (
    (after.required === true && !before.required) ||
    (after.choices !== undefined &&
      (!before.choices || before.choices.some((choice) => !after.choices?.includes(choice)))) ||
    higher(after.minimum, before.minimum) ||
    lower(after.maximum, before.maximum)
  );
}

/** What a trial judges of a column's rules, to tell whether they have changed since. */
export function judged({ type, required, choices, minimum, maximum }: ColumnRules): unknown[] {
  return [type, required, choices, minimum?.trim(), maximum?.trim()];
}

const refused = ({ refused, missing }: { refused: number; missing: number }) => refused + missing;

/** Whether the rules would have refused anything, or stored rows break them. */
export const finds = ({ rows, sources }: ColumnTrial) => refused(rows) > 0 || sources.some(refused);

/** The sources whose records would have been refused. */
export const refusing = ({ sources }: ColumnTrial) => sources.filter(refused);

/** What a source is called in a sentence. */
export function sourceName({ by_type, by_name }: SourceTrial): string {
  if (by_name) return by_name;
  return by_type === "key"
    ? "a key that is gone"
    : by_type === "user"
      ? "somebody who has left"
      : by_type === "operator"
        ? "an operator"
        : "Quayside";
}

/** "Would have refused 37 of the last 1,000 records of Shop sync." */
export function sourceInWords(source: SourceTrial, locale: string): string {
  return refusedOf({ refused: refused(source), count: source.looked, source: sourceName(source) }, locale);
}

/** What is true of the stored rows, one sentence each. */
export function rowsInWords({ rows, retyped }: ColumnTrial, locale: string): string[] {
  const breaking = rows.refused - rows.unreadable;
  return [
    retyped && rows.converted > 0 && rowsConvert({ count: rows.converted }, locale),
    rows.unreadable > 0 && rowsEmptied({ count: rows.unreadable }, locale),
    breaking > 0 && rowsBreak({ count: breaking }, locale),
    rows.missing > 0 && rowsMissing({ count: rows.missing }, locale),
    (rows.of ?? 0) > rows.looked && rowsLooked({ looked: rows.looked, count: rows.of ?? 0 }, locale),
  ].filter((one) => one !== false);
}

/** "None of the 12,400 stored rows and the last 1,000 records would have been refused." */
export function fineInWords({ rows, sources }: ColumnTrial, locale: string): string {
  return allFine({ rows: rows.looked, records: sources.reduce((sum, one) => sum + one.looked, 0) }, locale);
}

/** The reason without the column's name, which the dialog's title has. */
export function reason({ message }: TrialExample, column: string): string {
  const said = message.startsWith(`${column}: `) ? message.slice(column.length + 2) : message;
  return said.charAt(0).toUpperCase() + said.slice(1);
}
