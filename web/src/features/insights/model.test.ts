import { describe, expect, it } from "vitest";
import type { Row } from "@/api/types.gen";
import { addDays, againstLastYear, arrivalsOf, byWeek, demandOf, projected, weeksOf } from "./model";
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

const forecast = { next30: 30, next90: 150, low30: 15, high30: 60 };

describe("weeks", () => {
  it("are put in order, without a running week of which no day is over", () => {
    const weeks = weeksOf([
      week("2026-11-16", "0", { days_elapsed: "0", is_complete: false }),
      week("2026-11-09", "5", { in_stock_days: "4" }),
      week("2026-11-02", "3", { in_stock_days: "2" }),
    ]);
    expect(weeks.map(({ start, units, sales, empty }) => [start, units, sales, empty])).toEqual([
      ["2026-11-02", 3, 30, null],
      ["2026-11-09", 5, 50, 3],
    ]);
  });

  it("stand beside the week 52 weeks before", () => {
    const rows = [
      week("2025-11-10", "2"),
      week("2026-11-09", "5", { is_complete: false, days_elapsed: "3" }),
    ];
    const dense = Array.from({ length: 51 }, (_, at) => week(addDays("2025-11-17", at * 7), "1"));
    const { days, units, marks } = againstLastYear(weeksOf([...rows, ...dense]));
    expect(days).toHaveLength(53);
    expect(units.map(({ values }) => values.at(-1))).toEqual([5, 2]);
    expect(marks).toEqual([{ at: "2026-11-09", label: "Running week", kind: "note" }]);
    expect(againstLastYear(weeksOf([week("2026-11-09", "5")])).units).toHaveLength(1);
  });
});

describe("demand", () => {
  it("goes on from the last complete week, with a range of thirty days", () => {
    const weeks = weeksOf([
      week("2026-11-02", "3"),
      week("2026-11-09", "4", { in_stock_days: "5" }),
      week("2026-11-16", "1", { is_complete: false, days_elapsed: "2" }),
    ]);
    const { days, series, band, marks } = demandOf(weeks, forecast, "2026-11-18", (count) => `${count} out`);
    expect(days.slice(0, 3)).toEqual(["2026-11-02", "2026-11-09", "2026-11-16"]);
    expect(series.map(({ values }) => values[2])).toEqual([null, 7]);
    expect(series[1]?.values[7]).toBe(14);
    expect([band.low[1], band.low[2], band.high[6], band.high[7]]).toEqual([null, 3.5, 14, null]);
    expect(marks).toEqual([{ at: "2026-11-09", label: "2 out", kind: "out" }]);
  });

  it("takes stock off day by day and adds what arrives", () => {
    const line = (values: Row["values"]): Row => ({ id: String(values.order_no), version: 1, values });
    const arrivals = arrivalsOf(
      [
        line({
          order_no: "A",
          quantity_ordered: "10",
          quantity_received: "4",
          expected_arrival_date: "2026-11-18",
        }),
        line({
          order_no: "B",
          quantity_ordered: "5",
          quantity_received: null,
          expected_arrival_date: "2026-11-01",
        }),
        line({
          order_no: "C",
          quantity_ordered: "5",
          quantity_received: "5",
          expected_arrival_date: "2026-11-18",
        }),
        line({ order_no: "D", quantity_ordered: "5", quantity_received: "0", expected_arrival_date: null }),
      ],
      "2026-11-16",
    );
    expect(arrivals).toEqual([
      { day: "2026-11-18", quantity: 6, label: "A" },
      { day: "2026-11-23", quantity: 5, label: "B, late" },
    ]);
    const { days, left } = projected(4, forecast, arrivals, "2026-11-16");
    expect(days).toHaveLength(90);
    expect(left.slice(0, 8)).toEqual([3, 2, 7, 6, 5, 4, 3, 7]);
    expect((left[30] ?? 0) - (left[29] ?? 0)).toBe(-2);
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
