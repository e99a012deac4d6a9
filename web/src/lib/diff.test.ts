import { describe, expect, it } from "vitest";
import { diffLines, hunks } from "./diff";

const signs = { same: " ", gone: "-", new: "+" };
const drawn = (before: string, after: string) =>
  diffLines(before, after).map((line) => signs[line.kind] + line.text);

describe("diffLines", () => {
  it.each([
    ["a\nb\nc", "a\nb\nc", [" a", " b", " c"]],
    ["a\nb\nc", "a\nx\nc", [" a", "-b", "+x", " c"]],
    ["a\nc", "a\nb\nc", [" a", "+b", " c"]],
    ["a\nb\nc", "a\nc", [" a", "-b", " c"]],
    ["a\nb\nc\nd", "b\nx\nd", ["-a", " b", "-c", "+x", " d"]],
    ["", "a", ["-", "+a"]],
  ])("%j to %j", (before, after, want) => {
    expect(drawn(before, after)).toEqual(want);
  });
  it("does not count a comma that comes with the next line", () => {
    expect(drawn('{\n  "a": 1\n}', '{\n  "a": 1,\n  "b": 2\n}')).toEqual([
      " {",
      '   "a": 1,',
      '+  "b": 2',
      " }",
    ]);
  });
  it("stays quick where nothing is alike", () => {
    const long = (seed: string) => Array.from({ length: 3000 }, (_, n) => seed + n).join("\n");
    const started = performance.now();
    expect(diffLines(long("a"), long("b"))).toHaveLength(6000);
    expect(performance.now() - started).toBeLessThan(1000);
  });
});

it("hunks leave unchanged lines out", () => {
  const lines = (change: number[]) =>
    diffLines(
      Array.from({ length: 20 }, (_, n) => `${n}`).join("\n"),
      Array.from({ length: 20 }, (_, n) => (change.includes(n) ? "x" : `${n}`)).join("\n"),
    );
  const two = hunks(lines([3, 15]), 1);
  expect(two.hunks.map((hunk) => [hunk.skipped, hunk.lines.length])).toEqual([
    [2, 4],
    [9, 4],
  ]);
  expect(two.after).toBe(3);
  expect(hunks(lines([]), 1)).toEqual({ hunks: [], after: 20 });
});
