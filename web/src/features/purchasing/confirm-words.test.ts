import { expect, test } from "vitest";
import { deviationWords } from "./confirm-words";

test("says how a supplier differs from the order", () => {
  const ordered = { quantity: "20", price: "2.5", expected: "2026-12-01" };
  const words = (confirmed: Partial<typeof ordered>) =>
    deviationWords({ ordered, confirmed: { ...ordered, ...confirmed }, currency: "GBP" }, "en-GB");
  expect(words({})).toBe("");
  expect(words({ price: "2.50" })).toBe("");
  expect(words({ quantity: "12", expected: "2026-12-04", price: "2.70" })).toBe(
    "12 of 20, 3 days later, £0.20 dearer",
  );
  expect(words({ expected: "2026-11-30", price: "2.4" })).toBe("1 day earlier, £0.10 cheaper");
  expect(
    deviationWords(
      { ordered: { quantity: "1" }, confirmed: { quantity: "1", expected: "2026-12-04" } },
      "en-GB",
    ),
  ).toBe("on 4 Dec 2026");
});
