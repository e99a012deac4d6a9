import { describe, expect, it } from "vitest";
import { note, perSecond, timeLeft } from "./rate";

describe("perSecond", () => {
  it("is that of the last ten seconds", () => {
    let moments = note([], { at: 0, done: 0 });
    moments = note(moments, { at: 5_000, done: 5_000 });
    expect(perSecond(moments)).toBe(1000);
    moments = note(moments, { at: 15_000, done: 6_000 });
    expect(perSecond(moments)).toBe(100);
  });
  it("is the average since the start when nothing else is known", () => {
    expect(perSecond([{ at: 4_000, done: 400 }], 2_000)).toBe(200);
    expect(perSecond([{ at: 4_000, done: 400 }])).toBe(0);
    expect(perSecond([])).toBe(0);
  });
});

describe("timeLeft", () => {
  it.each([
    [10, 0, undefined],
    [0, 10, undefined],
    [10, 10, "a few seconds left"],
    [420, 10, "about 40 seconds left"],
    [6000, 10, "about 10 minutes left"],
  ])("%d at %d/s", (records, rate, words) => expect(timeLeft(records, rate, "en")).toBe(words));
});
