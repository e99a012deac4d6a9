import { describe, expect, it } from "vitest";
import { sparkBars, sparkLine, sparkTotals } from "./sparkline";

/** Reads the rectangles back out of a path. */
function boxes(path: string) {
  return [...path.matchAll(/M([\d.]+) ([\d.]+)h([\d.]+)v([\d.]+)/g)].map(([, x, y, w, h]) => ({
    x: Number(x),
    y: Number(y),
    w: Number(w),
    h: Number(h),
  }));
}

describe("sparkBars", () => {
  it("draws nothing for nothing", () => {
    expect(sparkBars([], 120, 28)).toEqual({ good: "", failed: "" });
    expect(sparkBars([{ good: 0, failed: 0 }], 120, 28)).toEqual({ good: "", failed: "" });
  });

  it("gives the peak the whole height", () => {
    const [low, high] = boxes(
      sparkBars(
        [
          { good: 50, failed: 0 },
          { good: 100, failed: 0 },
        ],
        120,
        28,
      ).good,
    );
    expect(high).toMatchObject({ y: 0, h: 28 });
    expect(low).toMatchObject({ y: 14, h: 14 });
  });

  it("stacks failed on good", () => {
    const bars = sparkBars([{ good: 60, failed: 40 }], 120, 30);
    const [good] = boxes(bars.good);
    const [failed] = boxes(bars.failed);
    expect(failed && good && failed.y + failed.h).toBeCloseTo(good?.y ?? -1);
  });

  it("shows one failure among ten thousand, inside the frame", () => {
    const bars = sparkBars([{ good: 10_000, failed: 1 }], 120, 28);
    const [failed] = boxes(bars.failed);
    expect(failed?.h).toBe(2.5);
    expect(failed?.y).toBe(0);
  });

  it("keeps every bar inside the width", () => {
    const many = Array.from({ length: 24 }, () => ({ good: 3, failed: 1 }));
    for (const box of boxes(sparkBars(many, 120, 28).good)) {
      expect(box.x).toBeGreaterThanOrEqual(0);
      expect(box.x + box.w).toBeLessThanOrEqual(120.01);
    }
  });
});

it("sparkTotals", () => {
  expect(
    sparkTotals([
      { good: 1, failed: 2 },
      { good: 3, failed: 4 },
    ]),
  ).toEqual({ good: 4, failed: 6 });
});

describe("sparkLine", () => {
  it("goes from the lowest at the bottom to the highest at the top", () => {
    expect(sparkLine([1, 3, 2], 104, 24)).toEqual({ line: "M2 22h0L52 2L102 12", end: { x: 102, y: 12 } });
  });
  it("breaks where a value is missing, and ends with the last known one", () => {
    expect(sparkLine([1, null, 3, null], 94, 24)).toEqual({ line: "M2 22h0M62 2h0", end: { x: 62, y: 2 } });
  });
  it("draws one value, equal ones and none", () => {
    expect(sparkLine([7], 104, 24)).toEqual({ line: "M2 12h0", end: { x: 2, y: 12 } });
    expect(sparkLine([7, 7], 104, 24).line).toBe("M2 12h0L102 12");
    expect(sparkLine([null], 104, 24)).toEqual({ line: "", end: undefined });
    expect(sparkLine([], 104, 24)).toEqual({ line: "", end: undefined });
  });
});
