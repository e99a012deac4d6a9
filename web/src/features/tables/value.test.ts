import { expect, test } from "vitest";
import { describeFilter, formatValue, fromDraft, fromShape, shapesOf, toDraft, toShape } from "./value";

const locale = { locale: "en-GB", currency: "EUR", timeZone: "Europe/Berlin" };

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
  ["datetime", "2026-03-14T23:30:00Z", "Europe/Berlin", "2026-03-15T00:30:00+01:00"],
  ["datetime", "2026-07-14T23:30:00.125Z", "Europe/Berlin", "2026-07-15T01:30:00.125+02:00"],
  ["datetime", "2026-07-14T23:30:00Z", "UTC", "2026-07-14T23:30:00Z"],
  ["number", "1.10", "UTC", "1.10"],
  ["boolean", false, "UTC", "false"],
  ["text", null, "UTC", ""],
] as const)("a %s %s is edited, in %s, as %s", (type, value, zone, draft) => {
  expect(toDraft({ type }, value, zone)).toBe(draft);
});

test.each([
  ["text", "", null],
  ["text", " a ", " a "],
  ["number", " 1.5 ", "1.5"],
  ["number", "many", "many"],
  ["boolean", "true", true],
  ["boolean", "", null],
  ["date", "2026-03-14", "2026-03-14"],
] as const)("of a %s the draft %j is sent as %j", (type, draft, sent) => {
  expect(fromDraft({ type }, draft)).toBe(sent);
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
  const { shape, values } = toShape(conditions as never);
  expect(fromShape({ type }, shape, values)).toEqual(conditions);
});

test("half a range is none", () => {
  expect(fromShape({ type: "number" }, "between", ["1", " "])).toBeUndefined();
  expect(fromShape({ type: "text" }, "contains", [""])).toBeUndefined();
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
