import { expect, test } from "vitest";
import { stateOf } from "./words";

test.each([
  [{}, ""],
  [{ financial_status: "PARTIALLY_PAID" }, "partially paid"],
  [{ financial_status: "paid", fulfillment_status: "fulfilled" }, "paid, fulfilled"],
])("%o is %j", (order, words) => {
  expect(stateOf(order)).toBe(words);
});
