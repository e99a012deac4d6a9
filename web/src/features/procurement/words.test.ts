import { expect, test } from "vitest";
import { monthWords, sinceTime } from "./words";

test("the month's line says what is spent, what is left and what is not counted", () => {
  const month = {
    from: "2026-11-01",
    currency: "EUR",
    ordered: "3210",
    drafted: "480",
    not_counted: 0,
    left_out: 0,
  };
  expect(monthWords(month, "en-GB")).toEqual({ spent: "€3,210 ordered and €480 drafted this month" });
  expect(monthWords({ ...month, budget: "10000", left: "6310", not_counted: 2 }, "en-GB")).toEqual({
    spent: "€3,210 ordered and €480 drafted of €10,000 this month",
    left: { text: "€6,310 left", none: false },
    notCounted: "2 lines without a price in EUR are not counted",
  });
  expect(monthWords({ ...month, budget: "3000.50", left: "0" }, "en-GB")).toEqual({
    spent: "€3,210 ordered and €480 drafted of €3,000.50 this month",
    left: { text: "nothing left", none: true },
  });
  const { currency: _, ...unknown } = month;
  expect(monthWords({ ...unknown, not_counted: 1 }, "en-GB")).toEqual({
    spent: "3,210 ordered and 480 drafted this month",
    notCounted: "1 line without a price in the workspace’s currency is not counted",
  });
});

test("a time since when something is not computed has its day unless that is today", () => {
  const now = new Date("2026-11-19T22:30:00Z");
  const since = (text: string, timeZone = "UTC") => sinceTime(new Date(text), now, "en-GB", timeZone);
  expect(since("2026-11-19T14:02:00Z")).toBe("14:02");
  expect(since("2026-11-18T14:02:00Z")).toBe("18 Nov, 14:02");
  expect(since("2026-11-19T14:02:00Z", "Asia/Tokyo")).toBe("19 Nov, 23:02");
});
