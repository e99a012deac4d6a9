import { expect, test } from "vitest";
import { lateness, rise } from "./words";

test.each([
  [undefined, "no day promised"],
  [0, "on time"],
  [1, "1 day late"],
  [12, "12 days late"],
  [-2, "2 days early"],
])("a delivery %s days after its day is %s", (days_late, words) => {
  expect(lateness(days_late === undefined ? {} : { days_late }, "en")).toBe(words);
});

test("a change of a price is a share of the one before", () => {
  const paid = (price: string) => ({ price, at: "2026-03-01T09:00:00Z", order_no: "PO-1", line_id: "l" });
  expect(rise({ last: paid("5.50"), before: paid("5") })).toBeCloseTo(0.1);
  expect(rise({ last: paid("2.70"), before: paid("3") })).toBeCloseTo(-0.1);
});
