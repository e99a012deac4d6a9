import { describe, expect, it } from "vitest";
import type { Line } from "@/api/types.gen";
import { monthGrid, shiftMonth } from "./calendar";
import { differences, editable, editWarning, explainFlag } from "./line-words";
import { addTotals, countText, isLate, lineStates, lineTotal, sharedActions, totalsOf } from "./model";

function line(over: Partial<Line> = {}): Line {
  return {
    id: "1",
    external_id: "1",
    order_no: "PO-1",
    sku: "TEA",
    status: "ordered",
    quantity_ordered: "3",
    quantity_received: "0",
    quantity_open: "3",
    price_per_unit: "0.1",
    currency: "EUR",
    version: 1,
    created_at: "2026-01-01T00:00:00Z",
    updated_at: "2026-01-01T00:00:00Z",
    flags: [],
    actions: [],
    ...over,
  };
}

describe("states of an order's lines", () => {
  it("tell what was closed short from what is received in full", () => {
    expect(lineStates({ by_status: { draft: 2, received: 3 }, closed_short: 1 })).toEqual([
      { status: "draft", closedShort: false, count: 2 },
      { status: "received", closedShort: false, count: 2 },
      { status: "received", closedShort: true, count: 1 },
    ]);
  });
});

describe("totals", () => {
  it("are exact and by currency, what is cancelled left out", () => {
    const lines = [
      line(),
      line({ quantity_ordered: "1", price_per_unit: "0.7" }),
      line({ currency: "CHF", price_per_unit: "1.005" }),
      line({ status: "cancelled", price_per_unit: "999" }),
    ];
    expect(totalsOf(lines)).toEqual([
      { currency: "CHF", amount: "3.015" },
      { currency: "EUR", amount: "1" },
    ]);
  });
  it("leave out what has no price", () => {
    const free = line();
    delete free.price_per_unit;
    expect(lineTotal(free)).toBeUndefined();
    expect(totalsOf([free])).toEqual([]);
  });
  it("of several orders", () => {
    expect(
      addTotals([
        { currency: "EUR", amount: "0.1" },
        { currency: "EUR", amount: "0.2" },
      ]),
    ).toEqual([{ currency: "EUR", amount: "0.3" }]);
  });
});

describe("actions", () => {
  it("are those that every selected line has", () => {
    expect(sharedActions([])).toEqual([]);
    expect(
      sharedActions([line({ actions: ["edit", "cancel", "submit"] }), line({ actions: ["cancel", "edit"] })]),
    ).toEqual(["edit", "cancel"]);
  });
  it("say beforehand what a change does", () => {
    expect(editWarning("pending_approval", "quantity_ordered")).toMatch(/back to draft/);
    expect(editWarning("ordered", "price_per_unit")).toMatch(/approval/);
    expect(editWarning("pending_approval", "note")).toBeUndefined();
    expect(editWarning("draft", "currency")).toBeUndefined();
  });
  it("leave only the note of what is over", () => {
    const over = line({ status: "received", actions: ["edit"] });
    expect(editable(over, "note")).toBe(true);
    expect(editable(over, "price_per_unit")).toBe(false);
    expect(editable(line({ actions: [] }), "note")).toBe(false);
  });
});

describe("days", () => {
  it("are late only while something is to come", () => {
    expect(isLate(line({ expected_arrival_date: "2026-01-01" }), "2026-01-02")).toBe(true);
    expect(isLate(line({ expected_arrival_date: "2026-01-02" }), "2026-01-02")).toBe(false);
    expect(isLate(line({ status: "received", expected_arrival_date: "2026-01-01" }), "2026-01-02")).toBe(
      false,
    );
    expect(isLate(line(), "2026-01-02")).toBe(false);
  });
  it("fill whole weeks, Monday first", () => {
    const grid = monthGrid("2026-11");
    expect(grid[0]).toBe("2026-10-26");
    expect(grid.at(-1)).toBe("2026-12-06");
    expect(grid).toHaveLength(42);
    expect(monthGrid("2027-02")).toHaveLength(28);
    expect(shiftMonth("2026-12", 1)).toBe("2027-01");
    expect(shiftMonth("2026-01", -1)).toBe("2025-12");
  });
});

it("tells what somebody else changed, by value", () => {
  expect(
    differences(line(), line({ quantity_ordered: "3.0", price_per_unit: "0.2", note: "new" }), "en-GB"),
  ).toEqual([
    { field: "price_per_unit", before: "0.1", after: "0.2" },
    { field: "note", before: "nothing", after: "new" },
  ]);
});

it("writes values as the workspace does", () => {
  const now = line({
    quantity_ordered: "1500.50",
    expected_arrival_date: "2026-03-14",
    status: "pending_approval",
  });
  expect(differences(line(), now, "de-DE")).toEqual([
    { field: "status", before: "ordered", after: "pending approval" },
    { field: "quantity_ordered", before: "3", after: "1.500,50" },
    { field: "expected_arrival_date", before: "nothing", after: "14 Mar 2026" },
  ]);
  const over = line({ quantity_ordered: "1500", quantity_received: "2000.5" });
  expect(explainFlag({ kind: "over_received" }, over, "de-DE")).toMatch(
    /^2\.000,5 arrived of 1\.500 ordered/,
  );
  expect([countText(9_999, "de-DE"), countText(10_000, "de-DE")]).toEqual(["9.999", "10.000+"]);
});

it("explains every flag", () => {
  expect(explainFlag({ kind: "status_jump", from: "draft", to: "received" }, line(), "en-GB")).toBe(
    "An external system moved this from draft to received.",
  );
  expect(explainFlag({ kind: "above_approval" }, line(), "en-GB")).toMatch(/beyond its approval/);
  expect(explainFlag({ kind: "below_receipts", claimed: "1500.5" }, line(), "de-DE")).toBe(
    "An external system says that 1.500,5 arrived: less than people have booked here.",
  );
  for (const kind of ["over_received", "changed", "unresolved"] as const)
    expect(explainFlag({ kind }, line(), "en-GB")).toMatch(/\w{3,}.*\.$/);
});
