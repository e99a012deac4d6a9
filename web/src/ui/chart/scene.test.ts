import { describe, expect, it } from "vitest";
import { barScene } from "./bar-scene";
import type { ChartData } from "./data";
import { textWidth } from "./geometry";
import { heatLevel } from "./heat";
import { lineScene } from "./line-scene";
import { pictureOf } from "./paint";
import { csvRows, legendOf, readings, readingText, summarise } from "./reading";
import type { Scene, TextShape } from "./scene";
import { runsOut, stockData, stockSummary } from "./stock";
import { chartWords } from "./words";

const words = chartWords({ locale: "en-GB" }, { unit: "pcs" });
const days = Array.from({ length: 120 }, (_, day) =>
  new Date(Date.UTC(2026, 9, 1 + day)).toISOString().slice(0, 10),
);
const options = { curve: "straight", zero: true, shortage: false } as const;

const data: ChartData = {
  across: { label: "Day", days },
  series: [
    { label: "Sold", values: days.map((_, day) => (day % 10 === 0 ? null : 1_000 + day * 130)) },
    { label: "Last year", values: days.map((_, day) => 900 + day) },
  ],
  band: { label: "80 % interval", low: days.map(() => 500), high: days.map(() => 20_000) },
  marks: [
    { at: "2026-10-05", label: "PO-1", kind: "arrival" },
    { at: "2026-10-06", label: "PO-2", kind: "arrival" },
    { at: "2026-10-07", label: "PO-3", kind: "arrival" },
    { at: "2027-01-27", label: "Out of stock", kind: "out" },
    { at: "2030-01-01", label: "never seen", kind: "note" },
  ],
  rule: { label: "Reorder point", value: 400 },
};

/** Checks that every text is inside the chart and overlaps no other. */
function expectReadable(scene: Scene) {
  const boxes = scene.shapes
    .filter((shape): shape is TextShape => shape.kind === "text")
    .map(({ x, y, text, anchor }) => {
      const width = textWidth(text);
      const left = anchor === "start" ? x : anchor === "end" ? x - width : x - width / 2;
      return { text, left, right: left + width, top: y - 9, bottom: y + 2 };
    });
  for (const [index, box] of boxes.entries()) {
    expect(box.left, box.text).toBeGreaterThanOrEqual(-0.01);
    expect(box.right, box.text).toBeLessThanOrEqual(scene.width + 0.01);
    expect(box.top, box.text).toBeGreaterThanOrEqual(-0.01);
    expect(box.bottom, box.text).toBeLessThanOrEqual(scene.height);
    for (const other of boxes.slice(index + 1)) {
      const apart =
        other.left >= box.right ||
        other.right <= box.left ||
        other.top >= box.bottom ||
        other.bottom <= box.top;
      expect(apart, `${box.text} and ${other.text}`).toBe(true);
    }
  }
  for (const shape of scene.shapes)
    if (shape.kind === "path") expect(shape.d).not.toMatch(/NaN|undefined|Infinity/);
}

describe("scenes stay readable", () => {
  const bars: ChartData = {
    across: {
      label: "Family",
      names: ["Shirts", "Accessories and small leather goods", "Shoes", "Outerwear", "Knitwear"],
    },
    series: [
      { label: "Now", values: [48_200_000, 9_450, null, -2_300, 12] },
      { label: "Then", values: [1, 2, 3, 4, 5] },
    ],
  };
  for (const locale of ["en-GB", "de-DE", "ja-JP"])
    for (const width of [240, 286, 320, 640, 1200])
      it(`${locale} at ${width} px`, () => {
        const said = chartWords({ locale }, { currency: "EUR" });
        const size = { width, height: 220 };
        expectReadable(lineScene(data, size, said, options));
        expectReadable(barScene(bars, size, said));
        expectReadable(barScene({ ...data, across: { label: "Day", days } }, size, said));
        for (const count of [1, 2, 9, 30, 75])
          expectReadable(
            lineScene(
              { across: { label: "Day", days: days.slice(0, count) }, series: [] },
              size,
              said,
              options,
            ),
          );
      });
});

it("points ascend and lie within the plot", () => {
  for (const scene of [
    lineScene(data, { width: 320, height: 200 }, words, options),
    barScene(data, { width: 320, height: 200 }, words),
  ]) {
    expect(scene.xs).toHaveLength(days.length);
    expect(scene.xs).toEqual([...scene.xs].sort((a, b) => a - b));
    expect(Math.max(...scene.xs)).toBeLessThan(320);
    expect(scene.dots(0)).toHaveLength(1);
    expect(scene.dots(1)).toHaveLength(2);
  }
});

it("one point stands in the middle as a dot", () => {
  const one: ChartData = {
    across: { label: "Day", days: ["2026-11-03"] },
    series: [{ label: "Sold", values: [12] }],
  };
  const { xs, shapes } = lineScene(one, { width: 320, height: 200 }, words, options);
  expect(xs[0]).toBeGreaterThan(140);
  expect(shapes.filter((shape) => shape.kind === "path" && shape.fill === "series-1")).toHaveLength(1);
});

it("two lines differ in more than colour", () => {
  const lines = lineScene(data, { width: 640, height: 200 }, words, options).shapes.filter(
    (shape) => shape.kind === "path" && shape.width === 2,
  );
  expect(new Set(lines.map((line) => line.kind === "path" && line.dash)).size).toBe(2);
  expect(legendOf(data, false).map((item) => item.label)).toEqual([
    "Sold",
    "Last year",
    "80 % interval",
    "Reorder point",
    "Arrival",
    "Out of stock",
  ]);
  expect(readings(data, words).flatMap(({ notes }) => notes)).toEqual([
    "PO-1",
    "PO-2",
    "PO-3",
    "Out of stock",
  ]);
});

describe("readings", () => {
  const few: ChartData = {
    across: { label: "Week of", days: ["2026-11-02", "2026-11-09", "2026-11-16"] },
    series: [{ label: "Sold", values: [1200, null, 90] }],
    band: { label: "80 % interval", low: [null, 50, 60], high: [null, 70, 99] },
    marks: [{ at: "2026-11-11", label: "PO-1 arrives", kind: "arrival" }],
  };
  it("say everything at a point, a mark at the nearest one", () => {
    expect(readings(few, words).map(readingText)).toEqual([
      "Mon, 2 Nov 2026: Sold 1,200 pcs, 80 % interval none",
      "Mon, 9 Nov 2026: Sold none, 80 % interval 50 pcs to 70 pcs, PO-1 arrives (11 Nov 2026)",
      "Mon, 16 Nov 2026: Sold 90 pcs, 80 % interval 60 pcs to 99 pcs",
    ]);
  });
  it("become rows with plain numbers", () => {
    expect(csvRows(few)).toEqual([
      ["Week of", "Sold", "80 % interval, low", "80 % interval, high", "Notes"],
      ["2026-11-02", 1200, null, null, ""],
      ["2026-11-09", null, 50, 70, "PO-1 arrives"],
      ["2026-11-16", 90, 60, 99, ""],
    ]);
  });
  it("are summed up", () => {
    expect(summarise(few, words)).toBe(
      "Sold: 90 pcs (16 Nov 2026) to 1,200 pcs (2 Nov 2026), last 90 pcs. PO-1 arrives (11 Nov 2026).",
    );
    expect(
      summarise({ ...few, marks: [], series: [{ label: "Sold", values: [null, 5, null] }] }, words),
    ).toBe("Sold: 5 pcs, 9 Nov 2026 only.");
    expect(summarise({ ...few, marks: [], series: [{ label: "Sold", values: [null] }] }, words)).toBe(
      "Sold: no values.",
    );
  });
});

describe("stock", () => {
  const stock = {
    days: days.slice(0, 4),
    left: [10, 4, 0, -3],
    arrivals: [{ day: "2026-10-04", quantity: 20, label: "PO-1" }],
    reorderPoint: 5,
  };
  it("runs out on the first day with nothing left", () => {
    expect(runsOut(stock)).toBe("2026-10-03");
    expect(runsOut({ days, left: [1, null, 2] })).toBeUndefined();
    expect(stockData(stock).marks?.map((mark) => [mark.at, mark.kind])).toEqual([
      ["2026-10-04", "arrival"],
      ["2026-10-03", "out"],
    ]);
  });
  it("says so", () => {
    expect(stockSummary(stock, words)).toBe(
      "Runs out on 3 Oct 2026. At the reorder point of 5 pcs or below from 2 Oct 2026. Arrives: 20 pcs on 4 Oct 2026 (PO-1).",
    );
    expect(stockSummary({ days: days.slice(0, 2), left: [9, 8], reorderPoint: 5 }, words)).toBe(
      "Lasts beyond 2 Oct 2026. Stays above the reorder point of 5 pcs.",
    );
    expect(stockSummary({ days: days.slice(0, 2), left: [0, 0] }, words)).toBe("Out of stock.");
    expect(stockSummary({ days: [], left: [] }, words)).toBe("");
  });
});

it("a picture has the title and the legend above the chart", () => {
  const scene = lineScene(data, { width: 320, height: 200 }, words, options);
  const { width, height, layers } = pictureOf(scene, "Demand", legendOf(data, false));
  expect(width).toBe(352);
  expect(height).toBeGreaterThan(260);
  expect(layers[0]?.shapes).toMatchObject([{ text: "Demand" }]);
  expect(layers.at(-1)?.shapes).toBe(scene.shapes);
  for (const { x, shapes } of layers.slice(1, -1))
    for (const shape of shapes)
      if (shape.kind === "text") expect(x + textWidth(shape.text)).toBeLessThan(width);
});

it("heatLevel", () => {
  const level = heatLevel([
    [0, 10],
    [null, 5],
  ]);
  expect([0, 1.9, 2, 5, 9.9, 10, null].map(level)).toEqual([1, 1, 2, 3, 5, 5, 0]);
  expect(heatLevel([[7, 7]])(7)).toBe(1);
});
