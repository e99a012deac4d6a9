import { expect, test } from "vitest";
import { readSearch } from "@/features/failures/filter";
import { readOrdersSearch } from "@/features/purchasing/tabs";
import { listLink, sameParameters, toParameters } from "./lists";

const view = "0199a3c8-0000-7000-8000-000000000001";

test("an address comes back from what was saved of it, word for word", () => {
  for (const search of [
    {},
    { tab: "overdue", text: "007", sort: "number" },
    { text: "7" },
    { text: "true" },
    { text: '"quoted" & 100 %' },
    { ended: true },
    { month: "2026-11" },
  ])
    expect(listLink("w", "purchase-orders", { id: view, search: toParameters(search) }).search).toEqual({
      ...search,
      view,
    });
});

test("what is of the moment is not saved", () => {
  const search = { status: "ignored", open: view, pages: 3, view };
  expect(toParameters(search)).toEqual({ status: "ignored" });
  expect(toParameters({ pages: 3 })).toEqual({});
});

test("what pages read of a view's address is what was saved", () => {
  const orders = { tab: "overdue", text: "12" } as const;
  const again = listLink("w", "purchase-orders", { id: view, search: toParameters(orders) }).search as object;
  expect(readOrdersSearch({ ...again })).toEqual({ ...orders, view });
  const failures = { status: "ignored", table: "orders", text: "3e5" } as const;
  const back = listLink("w", "failures", { id: view, search: toParameters(failures) }).search as object;
  expect(readSearch({ ...back })).toEqual({ ...failures, view });
});

test("the order of parameters does not matter, every value does", () => {
  expect(sameParameters({ a: "1", b: "2" }, { b: "2", a: "1" })).toBe(true);
  expect(sameParameters(undefined, {})).toBe(true);
  expect(sameParameters({ a: "1" }, { a: "2" })).toBe(false);
  expect(sameParameters({ a: "1" }, {})).toBe(false);
  expect(sameParameters({}, { a: "1" })).toBe(false);
  expect(sameParameters({ a: "1" }, { b: "1" })).toBe(false);
});
