import { expect, test } from "vitest";
import type { QueueSummary, Recommendation, SupplierSum } from "@/api/types.gen";
import { nothingTyped, readAssumptions } from "./explain";
import { laterDays } from "./later";
import {
  better,
  bySupplier,
  isOrderable,
  leftOutOf,
  pickOf,
  quantityText,
  restOf,
  roundUp,
  totals,
} from "./model";
import { readQueueSearch } from "./search";
import { termsOf } from "./terms";

const row = (change: Partial<Recommendation> = {}) =>
  ({
    recommendation_key: "key",
    name: "Lamp",
    suggested_quantity: 24,
    unit_price: "2.50",
    currency: "EUR",
    supplier: { id: "s1", name: "North" },
    ...change,
  }) as Recommendation;

test("quantities are rounded up to what can be ordered", () => {
  expect(roundUp("25", { minimum: "24", multiple: "12" })).toBe("36");
  expect(roundUp("1", { minimum: "30", multiple: "12" })).toBe("36");
  expect(roundUp("0.3", { multiple: "0.1" })).toBe("0.3");
  expect(roundUp("0.25", { multiple: "0.1" })).toBe("0.3");
});

test("a quantity that cannot be ordered has a better one, others do not", () => {
  const rules = { minimum: "24", multiple: "12" };
  expect(better("25", rules)).toBe("36");
  expect(better("12", rules)).toBe("24");
  expect(better("36", rules)).toBeUndefined();
  expect(better("7", { minimum: "10" })).toBe("10");
  expect(better("10.5", { minimum: "10" })).toBeUndefined();
  expect(better("7", {})).toBeUndefined();
  expect(better("", rules)).toBeUndefined();
  expect(better("0", rules)).toBeUndefined();
});

test("a pick has what was typed, else what is suggested", () => {
  expect(pickOf(row(), {}, "en-GB")).toMatchObject({
    quantity: "24",
    cost: { currency: "EUR", amount: "60" },
  });
  expect(pickOf(row(), { key: { quantity: "1.500" } }, "de-DE").quantity).toBe("1500");
  const unclear = pickOf(row(), { key: { quantity: "1,500" } }, "de-DE");
  expect(unclear.ask).toMatch(/did you mean/);
  expect(isOrderable(unclear)).toBe(false);
  expect(isOrderable(pickOf(row({ suggested_quantity: 0 }), {}, "en-GB"))).toBe(false);
  expect(quantityText(row({ suggested_quantity: 1.5 }), undefined, "de-DE")).toBe("1,5");
});

test("the price of another supplier is not known", () => {
  const edits = { key: { supplier: { id: "s2", name: "South" } } };
  const picked = pickOf(row(), edits, "en-GB");
  expect(picked.supplier?.id).toBe("s2");
  expect(picked.cost).toBeUndefined();
});

test("rows are put together by supplier, the first one's first", () => {
  const rows = ["a", "b", "a", undefined, "b"].map((id, at) =>
    row({ product_id: String(at), supplier: id === undefined ? undefined : { id, name: id } } as object),
  );
  const ids = bySupplier(rows, (one) => one.supplier).map((some) => some.map(({ product_id }) => product_id));
  expect(ids).toEqual([["0", "2"], ["1", "4"], ["3"]]);
});

test("sums are by currency, and a supplier's terms are compared with their own", () => {
  const picks = [row(), row({ currency: "USD" }), row({ unit_price: "0.10" })].map((one) =>
    pickOf(one, {}, "en-GB"),
  );
  const outlier = pickOf(row({ unit_price: "98765431211434745.89" }), {}, "en-GB");
  expect(totals([...picks, outlier])).toEqual(totals(picks));
  expect([leftOutOf(picks), leftOutOf([...picks, outlier])]).toEqual([0, 1]);
  const sums = totals(picks);
  expect(sums).toEqual([
    { currency: "EUR", amount: "62.4" },
    { currency: "USD", amount: "60" },
  ]);
  const terms = (supplier: string, of: Partial<SupplierSum>, picked = sums) =>
    termsOf(
      { suppliers: [{ supplier: { id: "s1", name: "North" }, currency: "EUR", ...of }] } as QueueSummary,
      supplier,
      picked,
    );
  const minimum = { min_order_value: "62.40" };
  expect(terms("s1", minimum)).toEqual({
    currency: "EUR",
    amount: "62.4",
    minimum: { value: "62.40", met: true },
  });
  expect(terms("s1", minimum, [])).toMatchObject({ amount: "0", minimum: { met: false } });
  expect(terms("s2", minimum)).toBeUndefined();
  expect(terms("s1", {})).toBeUndefined();
  expect(terms("s1", { free_shipping_value: "100.60" })).toEqual({
    currency: "EUR",
    amount: "62.4",
    toFreeShipping: "38.2",
  });
  expect(terms("s1", { free_shipping_value: "62.40" })?.toFreeShipping).toBe("0");
  expect(terms("s1", { free_shipping_value: "0" }, [])?.toFreeShipping).toBe("0");
});

test("next Monday is never today", () => {
  const monday = (today: string) => laterDays(today)[1]?.day;
  expect(monday("2026-11-16")).toBe("2026-11-23"); // a Monday
  expect(monday("2026-11-15")).toBe("2026-11-16"); // a Sunday
  expect(monday("2026-11-18")).toBe("2026-11-23");
  expect(laterDays("2026-12-31")[0]?.day).toBe("2027-01-01");
});

test("assumptions out of bounds are left out", () => {
  expect(readAssumptions(nothingTyped)).toEqual({});
  expect(readAssumptions({ lead: "30", chance: "97,5", cover: "400", demand: "-20" })).toEqual({
    lead_time_days: 30,
    service_level: 0.975,
    demand_pct: -20,
  });
  expect(readAssumptions({ ...nothingTyped, chance: "100", lead: "x" })).toEqual({});
});

test("addresses are read strictly", () => {
  expect(readQueueSearch({ tab: "order", text: 7, grouped: "yes", supplier: "none" })).toEqual({
    text: "7",
    supplier: "none",
  });
  expect(readQueueSearch({ tab: "drafted", grouped: true, pages: 2, open: "a b" })).toEqual({
    tab: "drafted",
    grouped: true,
    pages: 2,
  });
  expect(readQueueSearch({ tab: "nowhere", text: "" })).toEqual({});
});

test("a rest is left only of a smaller quantity", () => {
  const rest = (quantity: string) => restOf(pickOf(row(), { key: { quantity } }, "en-GB"));
  expect(rest("20")).toBe(4);
  expect(rest("23.9")).toBe(0.1);
  expect(rest("24")).toBeUndefined();
  expect(rest("30")).toBeUndefined();
  expect(rest("0")).toBeUndefined();
  expect(rest("many")).toBeUndefined();
  expect(restOf(pickOf(row({ suggested_quantity: 0 }), { key: { quantity: "3" } }, "en-GB"))).toBeUndefined();
});
