import { expect, it } from "vitest";
import { toCsv } from "./csv";
import { fileName } from "./save-file";

// The same cases as for the service's own export: both must give the same result.
it.each([
  ["tea", "tea"],
  ["a=b", "a=b"],
  ["=1+1", "'=1+1"],
  ["+1+1", "'+1+1"],
  ["-1+1", "'-1+1"],
  ["@SUM(A1)", "'@SUM(A1)"],
  ["\t=1", "'\t'=1"],
  ["\r=1", "\"'\r'=1\""],
  ["\n=1", "\"'\n'=1\""],
  ["a;=1+1", "a;'=1+1"],
  ["a;;=1", "a;;'=1"],
  ["a\t@x", "a\t'@x"],
  ["a\r\n+1", '"a\r\n\'+1"'],
  ["10;-5", "10;'-5"],
  ["a; =1", "a;' =1"],
  ['a;"=1&"', '"a;\'""=1&"""'],
  ["=1;=2", "'=1;'=2"],
  ["a;b", "a;b"],
  ["a,=1", '"a,=1"'],
  ["-5", "-5"],
  ["-.5e-3", "-.5e-3"],
  ["+49 30 1234567", "'+49 30 1234567"],
  ["-", "'-"],
  ["-5\n", '"\'-5\n"'],
  ['say "hi"', '"say ""hi"""'],
])("%j", (text, want) => {
  expect(toCsv([["x", text]])).toBe(`x,${want}\r\n`);
});

it("numbers stay numbers, nothing stays empty", () => {
  expect(toCsv([[-1.5, null, 0, 1e21, "ä€😀"], [null]])).toBe('-1.5,,0,1e+21,ä€😀\r\n""\r\n');
});

it("fileName", () => {
  expect(fileName("Demand of TEE-BLK-M", "csv")).toBe("demand-of-tee-blk-m.csv");
  expect(fileName("Größe / Été..\\", "png")).toBe("große-ete.png");
  expect(fileName("///", "png")).toBe("chart.png");
});
