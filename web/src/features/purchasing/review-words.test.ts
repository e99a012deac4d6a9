import { expect, test } from "vitest";
import { factsOf } from "./review-words";

const line = {
  quantity_ordered: "60",
  price_per_unit: "1.60",
  currency: "EUR",
  expected_arrival_date: "2026-12-03",
  product_name: "Green tea",
};
const known = {
  id: "l1",
  available: 8,
  on_order: 0,
  demand_per_day: 2,
  cover_days: 4,
  cover_days_with_line: 34,
  projected_stockout_date: "2026-11-24",
  suggested_quantity: 60,
  last_price: { price_per_unit: "1.50", order_no: "PO-990" },
};
const texts = (facts: ReturnType<typeof factsOf>) =>
  facts.map(({ text, warns }) => (warns ? `! ${text}` : text));

test("the facts of a line, with those to look at twice marked", () => {
  expect(texts(factsOf(line, known, "en-GB"))).toEqual([
    "lasts 4 days, with this line 34",
    "! runs out on 24 Nov 2026, arrives on 3 Dec 2026",
    "as suggested",
    "! price up 6.7% from €1.50 on PO-990",
  ]);
});

test("what is not known is said", () => {
  const { available: _, ...without } = known;
  expect(texts(factsOf(line, without, "en-GB"))[0]).toBe("! The stock is not known");
  const { cover_days: __, projected_stockout_date: ___, ...dead } = known;
  expect(texts(factsOf(line, { ...dead, suggested_quantity: 0 }, "en-GB")).slice(0, 2)).toEqual([
    "! 8 available, no demand is known",
    "! nothing is suggested",
  ]);
});

test("stock for more than half a year is looked at twice", () => {
  const long = { ...known, cover_days_with_line: 296.4 };
  expect(texts(factsOf(line, long, "en-GB"))[0]).toBe("! lasts 4 days, with this line 296");
});

test("quantities and prices against the suggestion and the last order", () => {
  const of = (change: Partial<typeof line>, facts: Partial<typeof known>) =>
    texts(factsOf({ ...line, ...change }, { ...known, ...facts }, "en-GB")).slice(2);
  expect(of({ quantity_ordered: "80" }, {})[0]).toBe("! 20 more than suggested");
  expect(of({ quantity_ordered: "40.5" }, {})[0]).toBe("19.5 fewer than suggested");
  expect(of({ price_per_unit: "1.5" }, {})[1]).toBe("price as on PO-990");
  expect(of({ price_per_unit: "1.20" }, {})[1]).toBe("price down 20% from €1.50 on PO-990");
});
