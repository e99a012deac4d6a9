import { describe, expect, it } from "vitest";
import { diffLines, diffWords, hunks, lineChanged, withoutComma, wordsChanged } from "./diff";

const signs = { same: " ", gone: "-", new: "+" };
const drawn = (before: string, after: string) =>
  diffLines(before, after, withoutComma).map((line) => signs[line.kind] + line.text);

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
  // Without a limit these take a minute. Measured in processor time, so that other load
  // counts little.
  it("stays quick where nothing is alike", () => {
    const long = (seed: string) => Array.from({ length: 12_000 }, (_, n) => seed + n).join("\n");
    const started = process.cpuUsage();
    expect(diffLines(long("a"), long("b"))).toHaveLength(24_000);
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(8_000);
  });
});

it("hunks show a single unchanged line rather than count it", () => {
  const lines = diffLines("a\nb\nc\nd\ne\nf\ng", "x\nb\nc\nd\ne\nf\ny");
  expect(hunks(lines, lineChanged, 2).hunks.map((hunk) => hunk.skipped)).toEqual([0]);
  expect(hunks(lines, lineChanged, 1).hunks.map((hunk) => hunk.skipped)).toEqual([0, 3]);
  expect(hunks(diffLines("a\nb\nc", "a\nx\nc"), lineChanged, 0)).toMatchObject({
    hunks: [{ skipped: 0 }],
    after: 0,
  });
  expect(hunks(diffLines("a", "a"), lineChanged, 1)).toEqual({ hunks: [], after: 1 });
});

it("hunks leave unchanged lines out", () => {
  const lines = (change: number[]) =>
    diffLines(
      Array.from({ length: 20 }, (_, n) => `${n}`).join("\n"),
      Array.from({ length: 20 }, (_, n) => (change.includes(n) ? "x" : `${n}`)).join("\n"),
    );
  const two = hunks(lines([3, 15]), lineChanged, 1);
  expect(two.hunks.map((hunk) => [hunk.skipped, hunk.lines.length])).toEqual([
    [2, 4],
    [9, 4],
  ]);
  expect(two.after).toBe(3);
  expect(hunks(lines([]), lineChanged, 1)).toEqual({ hunks: [], after: 20 });
});

describe("diffWords", () => {
  const wrapped = { same: ["", ""], gone: ["[-", "]"], new: ["{+", "}"] };
  const words = (before: string, after: string) =>
    diffWords(before, after)?.map((line) =>
      line
        .map(({ kind, text, end }) => wrapped[kind][0] + text + (end ? "↵" : "") + wrapped[kind][1])
        .join(""),
    );
  it.each([
    ["one two three", "one 2 three", ["one [-two]{+2} three"]],
    ["a\nb\nc", "a\nb b\nc", ["a", "b{+ b}", "c"]],
    ["a\nb", "a b", ["a[-↵]", "{+ }b"]],
    ["", "new", ["{+new}"]],
    ["a\nb\nc\n", "a\nc\n", ["a", "[-b↵]", "c"]],
    ["a\n", "a\n\nb\n", ["a", "{+↵}", "{+b↵}"]],
    ["same\nsame", "same\nsame", ["same", "same"]],
    ["Ölpreis", "Ölpreise", ["[-Ölpreis]{+Ölpreise}"]],
  ])("%j to %j", (before, after, want) => {
    expect(words(before, after)).toEqual(want);
  });
  it("gives both texts back", () => {
    const [before, after] = ["x y\n\nz, w\n", "x\ny y\nz. w v"];
    const side = (without: string) =>
      diffWords(before, after)
        ?.flat()
        .filter((part) => part.kind !== without)
        .map((part) => part.text)
        .join("")
        .replaceAll("\n", "");
    expect(side("new")).toBe(before.replaceAll("\n", ""));
    expect(side("gone")).toBe(after.replaceAll("\n", ""));
  });
  it("folds lines that stayed", () => {
    const lines = (word: string) =>
      Array.from({ length: 12 }, (_, n) => (n === 6 ? word : `line ${n}`)).join("\n");
    const folded = hunks(diffWords(lines("old"), lines("new")) ?? [], wordsChanged, 1);
    expect(folded.hunks.map((hunk) => [hunk.skipped, hunk.lines.length])).toEqual([[5, 3]]);
    expect(folded.after).toBe(4);
  });
  it("leaves long and quite different texts to the lines, quickly", () => {
    const text = (seed: string) => Array.from({ length: 7_000 }, (_, n) => seed + n).join(" ");
    const started = process.cpuUsage();
    expect(diffWords(text("a"), text("b"))).toBeUndefined();
    expect(diffWords("a ".repeat(50_000), "b")).toBeUndefined();
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(8_000);
  });
});
