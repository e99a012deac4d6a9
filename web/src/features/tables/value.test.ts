import { expect, test } from "vitest";
import type { ApiError } from "@/lib/problem";
import {
  dayOf,
  describeFilter,
  formatValue,
  fromDraft,
  fromShape,
  shapesOf,
  toDraft,
  toShape,
  unclearValues,
} from "./value";

const locale = { locale: "en-GB", currency: "EUR", timeZone: "Europe/Berlin" };
const german = { ...locale, locale: "de-DE" };

test.each([
  ["number", "1234567890123456789.10", "1,234,567,890,123,456,789.10"],
  ["number", "0.12345678", "0.12345678"],
  ["number", "n/a", "n/a"],
  ["boolean", true, "Yes"],
  ["boolean", false, "No"],
  ["date", "2026-03-14", "14 Mar 2026"],
  ["datetime", "2026-03-14T23:30:00Z", "15 Mar 2026, 00:30"],
  ["datetime", "soon", "soon"],
  ["text", "a\nb", "a\nb"],
  ["text", null, ""],
] as const)("a %s %s is shown as %s", (type, value, shown) => {
  expect(formatValue({ type }, value, locale)).toBe(shown);
});

test.each([
  ["estimate", "0.6431", "0.643"],
  ["estimate", "0.0043", "0.0043"],
  ["estimate", "1266.6667", "1,266.7"],
  ["estimate", "12.0000", "12"],
  ["money", "5428.895366", "€5,428.90"],
] as const)(
  "of a computed %s of %s people see %s, and of a condition every digit",
  (display, value, shown) => {
    const column = { type: "number", display } as const;
    expect(formatValue(column, value, locale)).toBe(shown);
    expect(describeFilter(column, { eq: value }, locale)).toContain(value.split(".")[1]);
  },
);

test.each([
  ["datetime", "2026-03-14T23:30:00Z", "Europe/Berlin", "2026-03-15T00:30:00+01:00"],
  ["datetime", "2026-07-14T23:30:00.125Z", "Europe/Berlin", "2026-07-15T01:30:00.125+02:00"],
  ["datetime", "2026-07-14T23:30:00Z", "UTC", "2026-07-14T23:30:00Z"],
  ["number", "1.10", "UTC", "1.10"],
  ["boolean", false, "UTC", "false"],
  ["text", null, "UTC", ""],
] as const)("a %s %s is edited, in %s, as %s", (type, value, zone, draft) => {
  expect(toDraft({ type }, value, { ...locale, timeZone: zone })).toBe(draft);
});

test.each([
  ["text", "", null],
  ["text", " a ", " a "],
  ["number", " 1.5 ", "1.5"],
  ["number", "1,500", "1500"],
  ["number", "", null],
  ["boolean", "true", true],
  ["boolean", "", null],
  ["date", "2026-03-14", "2026-03-14"],
] as const)("of a %s the draft %j is sent as %j", (type, draft, sent) => {
  expect(fromDraft({ name: "x", type }, draft, "en-GB")).toBe(sent);
});

test("a number is shown, edited and read as the workspace writes it", () => {
  expect(formatValue({ type: "number" }, "1500.5", german)).toBe("1.500,5");
  expect(toDraft({ type: "number" }, "1500.5", german)).toBe("1500,5");
  for (const [draft, sent] of [
    ["1.500,5", "1500.5"],
    ["1.500", "1500"],
    ["1,5", "1.5"],
  ] as const)
    expect(fromDraft({ name: "weight", type: "number" }, draft, "de-DE")).toBe(sent);
  // A text stays a text, even if it looks like a number.
  expect(fromDraft({ name: "code", type: "text" }, "1.500", "de-DE")).toBe("1.500");
});

test.each(["1,500", "many"])("the number %s is not sent, and the refusal names its column", (draft) => {
  let refusal: unknown;
  try {
    fromDraft({ name: "weight", type: "number" }, draft, "de-DE");
  } catch (cause) {
    refusal = cause;
  }
  expect((refusal as ApiError).fieldError("weight")).toContain(draft);
});

test("a filter's numbers are read and edited as the workspace writes them", () => {
  const column = { type: "number" } as const;
  const shaped = { shape: "between", values: ["1.500", "2.000,5"] } as const;
  const conditions = { gte: "1500", lte: "2000.5" };
  expect(fromShape(column, { ...shaped, values: [...shaped.values] }, german)).toEqual(conditions);
  expect(toShape(column, conditions, german)).toEqual({ shape: "between", values: ["1500", "2000,5"] });
  expect(describeFilter(column, conditions, german)).toBe("1.500 – 2.000,5");
  const asked = unclearValues(column, ["1.500", "1,500"], "de-DE");
  expect(asked[0]).toBeUndefined();
  expect(asked[1]).toContain("did you mean 1,5 or 1500?");
  expect(unclearValues(column, ["1.500", ""], "de-DE")).toEqual([]);
  expect(unclearValues({ type: "text" }, ["1,500"], "de-DE")).toEqual([]);
});

test("a range is offered where both of its ends are", () => {
  expect(shapesOf({ operators: ["contains", "eq", "in", "empty"] })).toEqual([
    "contains",
    "eq",
    "in",
    "empty",
    "filled",
  ]);
  expect(shapesOf({ operators: ["eq", "in", "gte", "lte"] })).toEqual(["eq", "in", "between", "gte", "lte"]);
});

test.each([
  ["number", { gte: "1", lte: "2" }],
  ["text", { contains: "x" }],
  ["text", { in: ["a", "b"] }],
  ["text", { empty: false }],
  ["boolean", { eq: true }],
] as const)("of a %s the filter %j survives its editor", (type, conditions) => {
  const shaped = toShape({ type }, conditions as never, locale);
  expect(fromShape({ type }, shaped, locale)).toEqual(conditions);
});

test("half a range is none", () => {
  expect(fromShape({ type: "number" }, { shape: "between", values: ["1", " "] }, locale)).toBeUndefined();
  expect(fromShape({ type: "text" }, { shape: "contains", values: [""] }, locale)).toBeUndefined();
});

test.each([
  ["number", { gte: "1000", lte: "2000" }, "1,000 – 2,000"],
  ["number", { gt: "5", ne: "7" }, "is more than 5 and is not 7"],
  ["date", { gte: "2026-03-14" }, "is on or after 14 Mar 2026"],
  ["text", { in: ["a", "b", "c", "d", "e"] }, "is one of a, b, c and 2 more"],
  ["text", { empty: true }, "is empty"],
  ["text", { contains: "tea" }, "contains tea"],
] as const)("of a %s the filter %j reads %s", (type, conditions, text) => {
  expect(describeFilter({ type }, conditions as never, locale)).toBe(text);
});

test.each([
  ["gte", "2026-03-14", { gte: "2026-03-14" }, "is on or after 14 Mar 2026"],
  ["lt", "2026-03-14", { lt: "2026-03-14" }, "is before 14 Mar 2026"],
  ["gt", "2026-03-14", { gt: "2026-03-14T22:59:59.999999Z" }, "is after 14 Mar 2026"],
  ["lte", "2026-03-14", { lte: "2026-03-14T22:59:59.999999Z" }, "is on or before 14 Mar 2026"],
] as const)(
  "a time that %s the day %s is filtered by the workspace's day",
  (shape, day, conditions, text) => {
    const column = { type: "datetime" } as const;
    expect(fromShape(column, { shape, values: [day] }, locale)).toEqual(conditions);
    expect(toShape(column, conditions, locale)).toEqual({ shape, values: [day] });
    expect(describeFilter(column, conditions, locale)).toBe(text);
  },
);

test("one day, and days, of a time are ranges of whole days of the workspace", () => {
  const column = { type: "datetime" } as const;
  // The day on which clocks go forward has 23 hours.
  const one = { gte: "2026-03-29", lte: "2026-03-29T21:59:59.999999Z" };
  expect(fromShape(column, { shape: "eq", values: ["2026-03-29"] }, locale)).toEqual(one);
  expect(describeFilter(column, one, locale)).toBe("is 29 Mar 2026");
  const some = fromShape(column, { shape: "between", values: ["2026-03-28", "2026-03-29"] }, locale) ?? {};
  expect(describeFilter(column, some, locale)).toBe("28 Mar 2026 – 29 Mar 2026");
  expect(toShape(column, some, locale)).toEqual({ shape: "between", values: ["2026-03-28", "2026-03-29"] });
});

test("a filter by a moment is shown and edited on the workspace's day, and keeps its time", () => {
  const column = { type: "datetime" } as const;
  const conditions = { gte: "2026-03-14T23:30:00Z" };
  expect(describeFilter(column, conditions, locale)).toBe("is on or after 15 Mar 2026, 00:30");
  const shaped = toShape(column, conditions, locale);
  expect(dayOf(column, shaped.values[0] ?? "", locale)).toBe("2026-03-15");
  expect(fromShape(column, shaped, locale)).toEqual(conditions);
  // In a link from elsewhere a bare day means its midnight.
  const west = { ...locale, timeZone: "America/New_York" };
  expect(describeFilter(column, { lte: "2026-03-14" }, west)).toBe("is on or before 14 Mar 2026, 00:00");
  expect(describeFilter(column, { gte: "2026-03-14" }, west)).toBe("is on or after 14 Mar 2026");
});
