import type { Column, FailedValues, TextReading } from "@/api/types.gen";
import { asJson, draftFix, sameWord, spelled } from "./fixes";
import type { DraftFix, Form } from "./retry-search";

/** The values of a field: in failed imports, or in a file. */
export type ValueCounts = Pick<FailedValues, "items"> & Partial<FailedValues>;

// The table of a field's values edits the fixes of that field: one for each value that becomes
// another, and one for how texts are read.

/** Whether the table shows a fix. */
export function inTable(fix: DraftFix, field: string | undefined, values: FailedValues | undefined): boolean {
  if (!values || fix.field !== field) return false;
  if (fix.do === "number" || fix.do === "date") return true;
  return fix.do === "map" && values.items.some(({ value }) => value === asJson(fix.from));
}

/** What a value becomes, as typed; empty: it stays. */
export function becomes(fixes: readonly DraftFix[], field: string, value: string): string {
  return fixes.find((fix) => isMap(fix, field, value))?.value ?? "";
}

function isMap(fix: DraftFix, field: string, value: string): boolean {
  return fix.do === "map" && fix.field === field && asJson(fix.from) === value;
}

/** The fixes with another one for a value; an empty text takes it out. */
export function withValue(fixes: readonly DraftFix[], field: string, value: string, to: string): DraftFix[] {
  const others = fixes.filter((fix) => !isMap(fix, field, value));
  return to === "" ? others : [...others, draftFix({ do: "map", field, from: value, value: to })];
}

/** How the texts of a field are read. */
export function formOf(fixes: readonly DraftFix[], field: string): Form | "" {
  return fixes.find((fix) => isReading(fix, field))?.form ?? "";
}

function isReading(fix: DraftFix, field: string): boolean {
  return (fix.do === "number" || fix.do === "date") && fix.field === field;
}

export function withForm(
  fixes: readonly DraftFix[],
  field: string,
  reading: TextReading | undefined,
): DraftFix[] {
  const others = fixes.filter((fix) => !isReading(fix, field));
  return reading ? [...others, draftFix({ do: reading.do, field, form: reading.form })] : others;
}

/** The readings that a column can take. */
export function readingsFor(column: Column | undefined, values: ValueCounts): TextReading[] {
  const kind = column?.type === "number" ? "number" : /^date/.test(column?.type ?? "") ? "date" : "";
  return (values.readings ?? []).filter((reading) => reading.do === kind);
}

// Yes and no in English, German, French, Spanish, Italian and Dutch.
const yes = "yes y ja j oui o sí sì si s true wahr vrai verdadero vero waar 1".split(" ");
const no = "no n nein non nee false falsch faux falso onwaar 0".split(" ");

/** Whether a column takes a value as it is. */
export function allowed(column: Column | undefined, value: string): boolean {
  if (column?.choices) return column.choices.includes(spelled(value));
  if (column?.type === "boolean") return ["true", "false", '"true"', '"false"', "1", "0"].includes(value);
  return true;
}

/** What a value most likely means, as JSON: the same word in another spelling, or a yes or no. */
function likely(column: Column, value: string): string | undefined {
  if (!value.startsWith('"') || allowed(column, value)) return undefined;
  const word = spelled(value).trim().toLowerCase();
  if (column.type === "boolean") {
    if (yes.includes(word)) return "true";
    return no.includes(word) ? "false" : undefined;
  }
  const same = column.choices && sameWord(word, column.choices);
  return same && JSON.stringify(same);
}

/**
 * What can be suggested: a word that is the same in another spelling or language, and a form in
 * which texts can be read if no other form reads one of them differently.
 */
export function suggested(fixes: readonly DraftFix[], column: Column, values: ValueCounts): DraftFix[] {
  let next = [...fixes];
  for (const { value } of values.items) {
    const to = likely(column, value);
    if (to && becomes(next, column.name, value) === "") next = withValue(next, column.name, value, to);
  }
  const readings = readingsFor(column, values);
  const certain = readings.find((one) => readings.every((other) => other === one || !differs(one, other)));
  if (certain && formOf(next, column.name) === "") next = withForm(next, column.name, certain);
  return next;
}

/** Whether two readings make something else of the same text, or each reads what the other cannot. */
function differs(one: TextReading, other: TextReading): boolean {
  const read = new Map(one.items.map(({ from, to }) => [from, to]));
  return other.items.some(({ from, to }) => read.get(from) !== to);
}
