import { expect, test } from "vitest";
import {
  nextSort,
  readFilters,
  readSearch,
  type TableState,
  toDefinition,
  toQuery,
  toSearch,
  toState,
} from "./state";

test.each<[unknown, unknown]>([
  [{ status: "open" }, { status: { eq: "open" } }],
  [{ note: null }, { note: { empty: true } }],
  [{ status: ["a", "b"] }, { status: { in: ["a", "b"] } }],
  [{ total: { gte: "1", lte: "2" } }, { total: { gte: "1", lte: "2" } }],
  [{ total: { like: "1" }, sku: { contains: "x" } }, { sku: { contains: "x" } }],
  ["status", {}],
  [["status"], {}],
])("filters %j are %j", (written, read) => {
  expect(readFilters(written)).toEqual(read);
});

test("what an address cannot mean is left out", () => {
  expect(readSearch({ filters: "x", sort: 3, columns: ["a"], view: "", record: "r", other: "y" })).toEqual({
    record: "r",
  });
});

const states: TableState[] = [
  { filters: {} },
  { filters: { total: { gte: "10" } }, sort: { by: "total", desc: true }, columns: ["total", "sku"] },
  { filters: { note: { empty: false } }, sort: { by: "note", desc: false } },
  { filters: {}, asOf: "2026-10-12", product: "all" },
];

test("a day and an article are in the address, in a view and in the request", () => {
  const state = { filters: {}, asOf: "2026-10-12", product: "all" };
  const given = { as_of: "2026-10-12", product: "all" };
  expect(toDefinition(state)).toEqual(given);
  expect(toQuery(state, ["week_start"])).toEqual({ ...given, select_fields: ["week_start"] });
  expect(toState({ view: "v" }, given)).toEqual(state);
  expect(toState({ view: "v", as_of: "2026-10-19" }, given)).toEqual({ filters: {}, asOf: "2026-10-19" });
});

test("a search is in the address, beside a view too, and in no view", () => {
  expect(readSearch({ ...toSearch({ filters: {}, search: "tea" }) })).toEqual({ q: "tea" });
  expect(toState({ q: "tea", view: "v" }, { sort_by: "note" })).toEqual({
    filters: {},
    search: "tea",
    sort: { by: "note", desc: false },
  });
  expect(toDefinition({ filters: {}, search: "tea", widths: { note: 90 } })).toEqual({
    widths: { note: 90 },
  });
  expect(toQuery({ filters: {}, search: "tea" }, ["note"])).toEqual({
    search: "tea",
    select_fields: ["note"],
  });
});

test.each(states)("a state survives its address: %j", (state) => {
  const written = JSON.parse(JSON.stringify(toSearch(state)));
  expect(toState(readSearch(written))).toEqual(state);
});

test.each(states)("a state survives being saved: %j", (state) => {
  expect(toState({ view: "v" }, JSON.parse(JSON.stringify(toDefinition(state))))).toEqual(state);
});

test("a change of a view stays one when it removes every filter", () => {
  const view = { filters: { status: { eq: "open" } }, sort_by: "total" };
  const changed = toSearch({ filters: {} }, "v");
  expect(changed).toEqual({ view: "v", filters: {} });
  expect(toState(changed, view)).toEqual({ filters: {} });
});

test("rows are asked for in the words of the API", () => {
  expect(toQuery({ filters: {} }, ["a", "b"])).toEqual({ select_fields: ["a", "b"] });
  expect(toQuery({ filters: { a: { eq: "1" } }, sort: { by: "b", desc: true } }, ["a"])).toEqual({
    filters: '{"a":{"eq":"1"}}',
    sort_by: "b",
    sort_desc: true,
    select_fields: ["a"],
  });
});

test("a header sorts up, down, and not", () => {
  const up = nextSort(undefined, "a");
  const down = nextSort(up, "a");
  expect([up, down, nextSort(down, "a"), nextSort(down, "b")]).toEqual([
    { by: "a", desc: false },
    { by: "a", desc: true },
    undefined,
    { by: "b", desc: false },
  ]);
});
