import type { TableColumn } from "@/api/types.gen";
import { formatNumber } from "@/lib/format";
import type { Locale } from "@/lib/locale";
import type { Conditions } from "./state";

type Typed = Pick<TableColumn, "type">;

const cache = new Map<string, Intl.DateTimeFormat>();

// Building a formatter costs far more than using it, and a grid uses thousands.
function dates(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = locale + JSON.stringify(options);
  let found = cache.get(key);
  if (!found) {
    found = new Intl.DateTimeFormat(locale, options);
    cache.set(key, found);
  }
  return found;
}

/** A value as people read it, in the workspace's way of writing; nothing is rounded. */
export function formatValue({ type }: Typed, value: unknown, { locale, timeZone }: Locale): string {
  if (value === null || value === undefined) return "";
  const text = String(value);
  switch (type) {
    case "number":
      return formatNumber(text, locale, { digits: Math.min(20, (text.split(".")[1] ?? "").length) });
    case "boolean":
      return text === "true" ? "Yes" : text === "false" ? "No" : text;
    case "date":
      return readable(text, dates(locale, { dateStyle: "medium", timeZone: "UTC" }));
    case "datetime":
      return readable(text, dates(locale, { dateStyle: "medium", timeStyle: "short", timeZone }));
    default:
      return text;
  }
}

// What a table holds from before its column had this type stays as it is.
function readable(text: string, format: Intl.DateTimeFormat): string {
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? text : format.format(at);
}

/** A value as it is edited: exact, and in the form that the service reads. */
export function toDraft({ type }: Typed, value: unknown, timeZone: string): string {
  if (value === null || value === undefined) return "";
  const text = String(value);
  return type === "datetime" ? inZone(text, timeZone) : text;
}

/** RFC 3339 with the offset that the zone has at that moment. */
function inZone(text: string, timeZone: string): string {
  const at = new Date(text);
  if (Number.isNaN(at.getTime())) return text;
  const parts = dates("en-US", {
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

/** What is sent for a draft. The service checks it as it checks what systems send. */
export function fromDraft({ type }: Typed, draft: string): unknown {
  const text = type === "text" ? draft : draft.trim();
  if (text === "") return null;
  if (type === "boolean" && (text === "true" || text === "false")) return text === "true";
  return text;
}

/** The ways of filtering that people are offered: a range is two conditions of the API. */
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

/** What a column's filter may be, from what the service says about it. */
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

/** What the editor shows of a filter. Of several conditions that are no range, the first. */
export function toShape(conditions: Conditions): { shape: Shape; values: string[] } {
  const { gte, lte, empty } = conditions;
  if (gte !== undefined && lte !== undefined) return { shape: "between", values: [String(gte), String(lte)] };
  if (empty !== undefined) return { shape: empty === true ? "empty" : "filled", values: [] };
  const [operator, value] = Object.entries(conditions)[0] ?? ["eq", ""];
  return { shape: operator as Shape, values: (Array.isArray(value) ? value : [value]).map(String) };
}

/** The filter that was entered; nothing while it is not complete. */
export function fromShape({ type }: Typed, shape: Shape, values: string[]): Conditions | undefined {
  if (shape === "empty" || shape === "filled") return { empty: shape === "empty" };
  const entered = values.map((value) => value.trim()).filter((value) => value !== "");
  const sent = entered.map((value) => (type === "boolean" ? value === "true" : value));
  if (shape === "in") return sent.length > 0 ? { in: sent } : undefined;
  if (shape === "between") return sent.length === 2 ? { gte: sent[0], lte: sent[1] } : undefined;
  return sent.length > 0 ? { [shape]: sent[0] } : undefined;
}

/** A filter in words, after the column's name. */
export function describeFilter(column: Typed, conditions: Conditions, locale: Locale): string {
  const shown = (value: unknown) => formatValue(column, value, locale) || "“”";
  const { shape, values } = toShape(conditions);
  if (shape === "between") return `${shown(values[0])} – ${shown(values[1])}`;
  return Object.entries(conditions)
    .map(([operator, value]) => {
      if (operator === "empty") return value === true ? words.empty : words.filled;
      const list = Array.isArray(value) ? value : [value];
      const some =
        list.slice(0, 3).map(shown).join(", ") + (list.length > 3 ? ` and ${list.length - 3} more` : "");
      return `${shapeLabel(operator as Shape, column)} ${some}`;
    })
    .join(" and ");
}
