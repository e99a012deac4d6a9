import { describe, expect, it } from "vitest";
import type { Row } from "@/api/types.gen";
import { shiftDay } from "@/lib/time";
import { againstLastYear, byWeek, weeksOf } from "./model";
import { readInsights } from "./tabs";

const week = (week_start: string, units_net: string, more: Row["values"] = {}): Row => ({
  id: week_start,
  version: 0,
  values: {
    week_start,
    units_net,
    net_sales: `${units_net}0`,
    days_elapsed: "7",
    is_complete: true,
    ...more,
  },
});

describe("weeks", () => {
  it("are put in order, without a running week of which no day is over", () => {
    const weeks = weeksOf([
      week("2026-11-16", "0", { days_elapsed: "0", is_complete: false }),
      week("2026-11-09", "5"),
      week("2026-11-02", "3"),
    ]);
    expect(weeks.map(({ start, units, sales }) => [start, units, sales])).toEqual([
      ["2026-11-02", 3, 30],
      ["2026-11-09", 5, 50],
    ]);
  });

  it("stand beside the week 52 weeks before", () => {
    const rows = [
      week("2025-11-10", "2"),
      week("2026-11-09", "5", { is_complete: false, days_elapsed: "3" }),
    ];
    const dense = Array.from({ length: 51 }, (_, at) => week(shiftDay("2025-11-17", at * 7), "1"));
    const { days, units, marks } = againstLastYear(weeksOf([...rows, ...dense]));
    expect(days).toHaveLength(53);
    expect(units.map(({ values }) => values.at(-1))).toEqual([5, 2]);
    expect(marks).toEqual([{ at: "2026-11-09", label: "Running week", kind: "note" }]);
    expect(againstLastYear(weeksOf([week("2026-11-09", "5")])).units).toHaveLength(1);
  });
});

it("counts days by week", () => {
  expect(byWeek(["2026-11-01", "2026-11-02", "2026-11-08", "2026-11-09"], "2026-11-02", 2)).toEqual({
    days: ["2026-11-02", "2026-11-09"],
    counts: [2, 1],
  });
});

it("reads an address, and drops what is not valid", () => {
  expect(readInsights({ tab: "demand", text: 12, status: "lapsed", as_of: "2026-11-09" })).toEqual({
    tab: "demand",
    text: "12",
    status: "lapsed",
    as_of: "2026-11-09",
  });
  expect(readInsights({ tab: "x", product: "all", as_of: "soon", status: "", other: "1" })).toEqual({});
});
