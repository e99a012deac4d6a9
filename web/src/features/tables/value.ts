import type { TableColumn } from "@/api/types.gen";
import { readDecimal, typedDecimals, writeDecimal } from "@/lib/decimal-text";
import { formatMoney, formatNumber } from "@/lib/format";
import type { Locale } from "@/lib/locale";
import { isDay } from "@/lib/period";
import { dateFormat, dayIn, formatDay, startOfDay } from "@/lib/time";
import type { Conditions } from "./state";

type Typed = Pick<TableColumn, "type">;

type Shown = Typed & Partial<Pick<TableColumn, "display">>;

/** Formats a value in the workspace's locale. Only computed amounts and estimates are rounded. */
export function formatValue(
  { type, display }: Shown,
  value: unknown,
  { locale, timeZone, currency }: Locale,
): string {
  if (value === null || value === undefined) return "";
  const text = String(value);
  switch (type) {
    case "number":
      if (display === "money") return formatMoney(text, currency, locale);
      if (display === "estimate") return formatNumber(text, locale, { estimate: true });
      return formatNumber(text, locale, { digits: Math.min(20, (text.split(".")[1] ?? "").length) });
    case "boolean":
      return text === "true" ? "Yes" : text === "false" ? "No" : text;
    case "date":
      return readable(text, dateFormat(locale, { dateStyle: "medium", timeZone: "UTC" }));
    case "datetime":
      return readable(text, dateFormat(locale, { dateStyle: "medium", timeStyle: "short", timeZone }));
    default:
      return text;
  }
}

// A value from before the column had this type is shown as it is.
function readable(text: string, format: Intl.DateTimeFormat): string {
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? text : format.format(at);
}

/** A value for editing: exact, numbers in the workspace's format, everything else in the API's. */
export function toDraft({ type }: Typed, value: unknown, { locale, timeZone }: Locale): string {
  if (value === null || value === undefined) return "";
  const text = String(value);
  if (type === "number") return writeDecimal(text, locale);
  return type === "datetime" ? inZone(text, timeZone) : text;
}

/** RFC 3339 with the zone's offset at that moment. */
function inZone(text: string, timeZone: string): string {
  const at = new Date(text);
  if (Number.isNaN(at.getTime())) return text;
  const parts = dateFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    timeZoneName: "longOffset",
  }).formatToParts(at);
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.find((one) => one.type === type)?.value ?? "";
  const offset = part("timeZoneName")
    .replace(/^GMT(\+00:00)?$/, "Z")
    .replace("GMT", "");
  const fraction = /\.\d+/.exec(text)?.[0] ?? "";
  const year = part("year").padStart(4, "0");
  return `${year}-${part("month")}-${part("day")}T${part("hour")}:${part("minute")}:${part("second")}${fraction}${offset}`;
}

/**
 * Converts a draft to the API's value. The service checks it as it checks records from systems. An
 * ambiguous number is not sent but thrown as an ApiError.
 */
export function fromDraft({ name, type }: Typed & { name: string }, draft: string, locale: string): unknown {
  if (type === "number") return typedDecimals({ [name]: draft }, locale)[name] || null;
  const text = type === "text" ? draft : draft.trim();
  if (text === "") return null;
  if (type === "boolean" && (text === "true" || text === "false")) return text === "true";
  return text;
}

/** The operators in the filter editor. A range is two conditions of the API. */
export type Shape =
  | "contains"
  | "eq"
  | "ne"
  | "in"
  | "between"
  | "gt"
  | "gte"
  | "lt"
  | "lte"
  | "empty"
  | "filled";

const words: Record<Shape, string> = {
  contains: "contains",
  eq: "is",
  ne: "is not",
  in: "is one of",
  between: "is between",
  gt: "is more than",
  gte: "is at least",
  lt: "is less than",
  lte: "is at most",
  empty: "is empty",
  filled: "is not empty",
};
const timeWords: Partial<Record<Shape, string>> = {
  gt: "is after",
  gte: "is on or after",
  lt: "is before",
  lte: "is on or before",
};

export function shapeLabel(shape: Shape, { type }: Typed): string {
  return (type === "date" || type === "datetime" ? timeWords[shape] : undefined) ?? words[shape];
}

/** The operators for a column, from those that the service offers. */
export function shapesOf({ operators }: Pick<TableColumn, "operators">): Shape[] {
  const shapes: Shape[] = [];
  for (const operator of operators) {
    if (operator === "empty") shapes.push("empty", "filled");
    else if (operator in words) shapes.push(operator as Shape);
  }
  if (operators.includes("gte") && operators.includes("lte"))
    shapes.splice(shapes.indexOf("in") + 1, 0, "between");
  return shapes;
}

/**
 * Times are filtered by whole days of the workspace's zone. The service reads a bare day as its first
 * moment, so "after" and "on or before" a day compare with its last moment.
 */
const comparesLast = (operator: string) => operator === "gt" || operator === "lte";

/** The last moment of a day, in the precision of a table. */
function lastMoment(day: string, timeZone: string): string {
  return new Date(startOfDay(day, timeZone, 1).getTime() - 1).toISOString().replace("Z", "999Z");
}

/** The day of a moment in the workspace's zone; empty if the value is not a moment. */
export function dayOf({ type }: Typed, value: string, { timeZone }: Locale): string {
  // A date has no zone.
  if (type === "date" || isDay(value)) return value.slice(0, 10);
  const at = new Date(value);
  return Number.isNaN(at.getTime()) ? "" : dayIn(timeZone, at);
}

/** The day that a condition on a time covers as a whole, if any. */
function wholeDay(operator: string, value: string, locale: Locale): string | undefined {
  if (!comparesLast(operator)) return isDay(value) && /^(gte|lt)$/.test(operator) ? value : undefined;
  const day = dayOf({ type: "datetime" }, value, locale);
  return day && value === lastMoment(day, locale.timeZone) ? day : undefined;
}

/** A filter in the editor. */
interface Shaped {
  shape: Shape;
  /** The values as typed. */
  values: string[];
}

/** Converts a filter for the editor. Of several conditions that are not a range, it shows the first. */
export function toShape(column: Typed, conditions: Conditions, locale: Locale): Shaped {
  const typed = (operator: string, value: unknown) => {
    if (column.type === "number") return toDraft(column, value, locale);
    const text = String(value);
    return (column.type === "datetime" && wholeDay(operator, text, locale)) || text;
  };
  const { gte, lte, empty } = conditions;
  if (gte !== undefined && lte !== undefined)
    return { shape: "between", values: [typed("gte", gte), typed("lte", lte)] };
  if (empty !== undefined) return { shape: empty === true ? "empty" : "filled", values: [] };
  const [operator, value] = Object.entries(conditions)[0] ?? ["eq", ""];
  const list = Array.isArray(value) ? value : [value];
  return { shape: operator as Shape, values: list.map((one) => typed(operator, one)) };
}

/** Questions about ambiguous values, by their index. */
export function unclearValues({ type }: Typed, values: readonly string[], locale: string): string[] {
  if (type !== "number") return [];
  const asked: string[] = [];
  for (const [at, value] of values.entries()) {
    const read = readDecimal(value, locale);
    if ("ask" in read) asked[at] = read.ask;
  }
  return asked;
}

/** Converts the editor's values to a filter; undefined while incomplete. */
export function fromShape(
  { type }: Typed,
  { shape, values }: Shaped,
  { locale, timeZone }: Locale,
): Conditions | undefined {
  if (shape === "empty" || shape === "filled") return { empty: shape === "empty" };
  const sent = values
    .map((value) => value.trim())
    .filter((value) => value !== "")
    .map((value) => {
      const read = type === "number" ? readDecimal(value, locale) : { value };
      return type === "boolean" ? value === "true" : "value" in read ? read.value : value;
    });
  if (shape === "in") return sent.length > 0 ? { in: sent } : undefined;
  const [first, second] = sent;
  if (first === undefined || (shape === "between" && second === undefined)) return undefined;
  const until = (value: unknown) =>
    type === "datetime" && typeof value === "string" && isDay(value) ? lastMoment(value, timeZone) : value;
  if (shape === "between") return { gte: first, lte: until(second) };
  if (shape === "eq" && until(first) !== first) return { gte: first, lte: until(first) };
  return { [shape]: comparesLast(shape) ? until(first) : first };
}

/** Describes a filter; follows the column's name. */
export function describeFilter(column: Typed, conditions: Conditions, locale: Locale): string {
  const shown = (operator: string, value: unknown) => {
    const text = String(value);
    const whole = column.type === "datetime" ? wholeDay(operator, text, locale) : undefined;
    if (whole) return formatDay(whole, locale.locale);
    const midnight = column.type === "datetime" && isDay(text) && startOfDay(text, locale.timeZone);
    // A condition is shown exactly as it is applied.
    return formatValue({ type: column.type }, midnight ? midnight.toISOString() : value, locale) || "“”";
  };
  const { gte, lte } = conditions;
  if (gte !== undefined && lte !== undefined) {
    const [from, to] = [shown("gte", gte), shown("lte", lte)];
    return from === to ? `${words.eq} ${from}` : `${from} – ${to}`;
  }
  return Object.entries(conditions)
    .map(([operator, value]) => {
      if (operator === "empty") return value === true ? words.empty : words.filled;
      const list = Array.isArray(value) ? value : [value];
      const some =
        list
          .slice(0, 3)
          .map((one) => shown(operator, one))
          .join(", ") + (list.length > 3 ? ` and ${list.length - 3} more` : "");
      return `${shapeLabel(operator as Shape, column)} ${some}`;
    })
    .join(" and ");
}
