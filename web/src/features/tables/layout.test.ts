import { expect, test } from "vitest";
import type { Table, TableColumn } from "@/api/types.gen";
import { frozenOf, placeColumns, sensibleWidth } from "./layout";
import { leadsTo, mergeLinks } from "./links";
import { ordered, shownColumns } from "./queries";
import { readSavedLayout } from "./saved-layout";

const column = (name: string) => ({ name, label: name, type: "text" }) as TableColumn;
const columns = ["name", "sku", "price"].map(column);
const table = {
  columns: [...columns, column("note")],
  default_view: { select_fields: ["name", "sku", "price"], frozen: 2, sort_by: "id", sort_desc: true },
} as Table;

test("the columns in front stay in sight, each beside the one before", () => {
  const placed = placeColumns(columns, { name: 100 }, 2);
  expect(placeColumns(columns)[0]?.width).toBe(220);
  expect(placed.map(({ left, edge, width }) => [left, edge, width])).toEqual([
    [0, false, 100],
    [100, true, 180],
    [undefined, undefined, 180],
  ]);
});

test.each<[string[], number]>([
  [["name", "sku", "price"], 2],
  [["sku", "name", "price"], 2],
  [["name", "price", "sku"], 1],
  [["price", "name"], 1],
  [["name", "sku"], 2],
])("of %j so many stay in sight: %i", (names, frozen) => {
  expect(frozenOf(table, names.map(column))).toBe(frozen);
});

test("widths stay within reason", () => {
  expect([1, 200.4, 5000].map(sensibleWidth)).toEqual([64, 200, 800]);
});

test("the address decides what is shown, then how one left the table, then the table", () => {
  const names = (state: Parameters<typeof shownColumns>[1], left?: string[]) =>
    shownColumns(table, state, left).map((one) => one.name);
  expect(names({ filters: {} })).toEqual(["name", "sku", "price"]);
  expect(names({ filters: {} }, ["note", "gone"])).toEqual(["note"]);
  expect(names({ filters: {}, columns: ["sku"] }, ["note"])).toEqual(["sku"]);
  expect(names({ filters: {}, columns: ["gone"] }, ["gone"])).toEqual(["name", "sku", "price"]);
});

test("the newest come first unless another order was chosen", () => {
  expect(ordered(table, { filters: {} }).sort).toEqual({ by: "id", desc: true });
  const sort = { by: "price", desc: false };
  expect(ordered(table, { filters: {}, sort }).sort).toEqual(sort);
});

test.each<[string | null, unknown]>([
  [null, {}],
  ["", {}],
  ["nonsense", {}],
  ['"text"', {}],
  ["null", {}],
  ['{"columns":["a",1],"widths":{"a":100,"b":"wide"}}', { columns: ["a"], widths: { a: 100 } }],
])("what was kept as %j is read as %j", (text, left) => {
  expect(readSavedLayout(text)).toEqual(left);
});

test("links of pages are put together; values lead to records and orders", () => {
  const ada = { label: "Ada" };
  const ben = { label: "Ben" };
  expect(mergeLinks([{ by: { a: ada } }, { by: { b: ben } }, {}])).toEqual({ by: { a: ada, b: ben } });
  const reference = { name: "customer_id", references: "customers" };
  expect(leadsTo("w", "orders", reference, "a/b")).toBe("/w/w/customers/a%2Fb");
  const product = { name: "product_id", references: "products" };
  expect(leadsTo("w", "order_line_items", product, "a/b")).toBe("/w/w/tables/products?record=a%2Fb");
  expect(leadsTo("w", "orders", reference, null)).toBeUndefined();
  expect(leadsTo("w", "purchase_order_lines", { name: "order_no" }, "PO-1")).toBe(
    "/w/w/purchase-orders/PO-1",
  );
  expect(leadsTo("w", "orders", { name: "order_no" }, "PO-1")).toBeUndefined();
});
