import { describe, expect, it } from "vitest";
import {
  bandPath,
  crosses,
  dayDate,
  dayNumber,
  dayTicks,
  domainOf,
  type Label,
  linePath,
  lonePoints,
  nearestPoint,
  shorten,
  stackLabels,
  textWidth,
  thinLabels,
  tipLeft,
  valueAxis,
} from "./geometry";

const y = (value: number) => 100 - value;
const iso = (day: number) => dayDate(day).toISOString().slice(0, 10);

describe("domainOf", () => {
  it.each([
    ["begins at zero", [5, 9], true, [0, 9]],
    ["ends at zero below it", [-5, -9], true, [-9, 0]],
    ["need not begin at zero", [5, 9], false, [5, 9]],
    ["skips gaps", [null, 4, null, 8], false, [4, 8]],
    ["gives one value room", [10], false, [8, 12]],
    ["gives one value below zero room", [-10], false, [-12, -8]],
    ["gives zeros room", [0, 0], true, [0, 1]],
    ["is never empty", [], true, [0, 1]],
    ["is never empty without zero", [null], false, [0, 1]],
    ["takes no infinity", [1, Number.POSITIVE_INFINITY, Number.NaN], true, [0, 1]],
  ] as const)("%s", (_, values, zero, want) => {
    expect(domainOf(values, { zero })).toEqual(want);
  });
});

describe("valueAxis", () => {
  it("rounds the ends and puts the low one at the bottom", () => {
    const axis = valueAxis([0, 193], 200, 0);
    expect(axis.ticks).toEqual([0, 50, 100, 150, 200]);
    expect([axis.y(axis.low), axis.y(axis.high)]).toEqual([200, 0]);
  });
  it("spends no whole step on a little below zero", () => {
    const axis = valueAxis([-2_300, 64_120], 180, 20);
    expect(axis.low).toBeGreaterThanOrEqual(-10_000);
    expect(axis.ticks).toContain(0);
  });
  it("keeps two lines of labels apart", () => {
    for (const height of [60, 90, 140, 220, 400]) {
      const { ticks, y: at } = valueAxis([-6, 187], height, 0);
      for (const [index, tick] of ticks.entries())
        if (index > 0) expect(at(ticks[index - 1] ?? 0) - at(tick)).toBeGreaterThan(14);
    }
  });
});

describe("dayTicks", () => {
  const ticks = (from: string, to: string, most: number) => {
    const found = dayTicks(dayNumber(from), dayNumber(to), most);
    return [found.step, ...found.days.map(iso)];
  };
  it.each([
    ["every day", "2026-11-03", "2026-11-05", 6, ["day", "2026-11-03", "2026-11-04", "2026-11-05"]],
    [
      "weeks from the first day",
      "2026-11-03",
      "2026-11-20",
      3,
      ["day", "2026-11-03", "2026-11-10", "2026-11-17"],
    ],
    ["months", "2026-11-03", "2027-02-20", 4, ["month", "2026-12-01", "2027-01-01", "2027-02-01"]],
    [
      "quarters",
      "2026-01-01",
      "2026-12-31",
      4,
      ["month", "2026-01-01", "2026-04-01", "2026-07-01", "2026-10-01"],
    ],
    ["years", "2023-06-01", "2026-06-01", 3, ["year", "2024-01-01", "2025-01-01", "2026-01-01"]],
    ["one day", "2026-11-03", "2026-11-03", 5, ["day", "2026-11-03"]],
    ["no room", "2026-11-03", "2026-11-13", 0, ["day", "2026-11-03"]],
  ] as const)("%s", (_, from, to, most, want) => {
    expect(ticks(from, to, most)).toEqual(want);
  });
  it("never gives more than there is room for", () => {
    for (let span = 0; span < 4000; span += 13)
      for (const most of [1, 2, 3, 5, 8])
        expect(dayTicks(20_000, 20_000 + span, most).days.length).toBeLessThanOrEqual(most);
  });
});

/** Whether the labels of each row are apart and inside the frame. */
function tidy(labels: readonly Label[], left: number, right: number) {
  const spans = labels.map(({ x, text }) => [x - textWidth(text) / 2, x + textWidth(text) / 2] as const);
  for (const [index, [from, to]] of spans.entries()) {
    expect(from).toBeGreaterThanOrEqual(left - 0.01);
    expect(to).toBeLessThanOrEqual(right + 0.01);
    for (const [other, [start, end]] of spans.entries())
      if (other !== index) expect(end <= from || start >= to).toBe(true);
  }
}

describe("labels", () => {
  const many = (count: number, width: number, text: string) =>
    Array.from({ length: count }, (_, index) => ({ x: (index * width) / Math.max(1, count - 1), text }));
  it("leave out the same number everywhere and never touch", () => {
    for (const count of [1, 2, 7, 12, 31, 366])
      for (const text of ["1", "28 Sept", "Donnerstag, 24. Dezember"]) {
        const kept = thinLabels(many(count, 280, text), 0, 280);
        expect(kept.length).toBeGreaterThan(0);
        tidy(kept, 0, 280);
      }
    expect(thinLabels(many(7, 280, "12 Nov"), 0, 280)).toHaveLength(4);
    expect(thinLabels([], 0, 280)).toEqual([]);
  });
  it("of marks stand in rows, and are left out where there is no room", () => {
    const close = [10, 20, 30, 200].map((x) => ({ x, text: "PO-2240" }));
    const placed = stackLabels(close, 0, 280, 2);
    expect(placed.map((label) => label?.row)).toEqual([0, 1, undefined, 0]);
    for (const row of [0, 1])
      tidy(
        placed.filter((label) => label !== undefined).filter((label) => label.row === row),
        0,
        280,
      );
    expect(stackLabels([{ x: 5, text: "longer than the chart is wide" }], 0, 100, 2)).toEqual([undefined]);
  });
  it("are shortened by whole letters", () => {
    expect(shorten("Shoes", 100)).toBe("Shoes");
    expect(shorten("Accessories", 56)).toBe("Accesso…");
    expect(shorten("👟👟👟👟", 30)).toBe("👟…");
  });
});

describe("paths", () => {
  const xs = [0, 10, 20, 30, 40];
  it("break where a value is missing", () => {
    expect(linePath(xs, [1, 2, null, 4, 5], y, "straight")).toBe("M0,99L10,98M30,96L40,95");
    expect(linePath(xs, [], y, "straight")).toBe("");
    expect(linePath(xs, [null, null], y, "straight")).toBe("");
  });
  it("go in steps that change with the day", () => {
    expect(linePath(xs, [5, 3], y, "step")).toBe("M0,95L10,95L10,97");
  });
  it("of bands break where either edge is missing", () => {
    const band = bandPath(xs, [1, 1, null, 1, 1], [2, 3, 3, 3, null], y, "straight");
    expect(band.match(/M/g)).toHaveLength(2);
    expect(band.startsWith("M0,98L10,97L10,99L0,99Z")).toBe(true);
  });
  it("lead to no point that has gaps on both sides", () => {
    expect(lonePoints([1, null, 3, null, 5, 6])).toEqual([0, 2]);
    expect(lonePoints([1])).toEqual([0]);
    expect(lonePoints([null])).toEqual([]);
  });
});

it("nearestPoint", () => {
  const xs = [0, 10, 20];
  expect([-5, 4, 6, 14.9, 15.1, 99].map((x) => nearestPoint(xs, x))).toEqual([0, 0, 1, 1, 2, 2]);
  expect(nearestPoint([], 3)).toBe(-1);
});

it("tipLeft stays beside the cursor and in the frame", () => {
  expect(tipLeft(20, 150, 400)).toBe(30);
  expect(tipLeft(300, 150, 400)).toBe(140);
  expect(tipLeft(150, 150, 300)).toBe(150);
  expect(tipLeft(160, 155, 300)).toBe(145);
  expect(tipLeft(120, 290, 300)).toBe(10);
  expect(tipLeft(120, 310, 300)).toBe(0);
});

it("crosses", () => {
  const box = { left: 10, right: 20, top: 40, bottom: 60 };
  expect(crosses([0, 30], [0, 100], box)).toBe(true);
  expect(crosses([0, 30], [0, 30], box)).toBe(false);
  expect(crosses([0, 5, 25, 30], [50, 50, null, 50], box)).toBe(false);
  expect(crosses([15], [50], box)).toBe(true);
});
