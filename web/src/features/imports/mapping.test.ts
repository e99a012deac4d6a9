import { describe, expect, it } from "vitest";
import type { ImportColumn } from "@/api/types.gen";
import { refuse } from "./files";
import { choose, readValue, targetOf } from "./mapping";

const column = (from: string, to: string): ImportColumn => ({ from, to, how: "exact", could: [] });

describe("choose", () => {
  it("takes a column of the table from whoever had it", () => {
    const choices = choose([{ from: "Name", to: "name" }], "Size", "name");
    expect(choices).toEqual([{ from: "Size", to: "name" }]);
    expect(targetOf(column("Name", "name"), choices)).toBe("");
    expect(targetOf(column("No", "external_id"), choices)).toBe("external_id");
    expect(targetOf(column("Size", ""), choices)).toBe("name");
  });
  it("leaves out as many as one likes", () => {
    const choices = choose(choose([], "No", ""), "Name", "");
    expect(choices).toHaveLength(2);
    expect(targetOf(column("No", "external_id"), choices)).toBe("");
  });
  it("keeps the last word on a column", () => {
    expect(choose([{ from: "No", to: "sku" }], "No", "external_id")).toEqual([
      { from: "No", to: "external_id" },
    ]);
  });
});

describe("readValue", () => {
  it.each([
    ['"a \\"b\\""', 'a "b"', false],
    ["1.50", "1.50", false],
    ["null", "null", true],
    ['""', "", true],
    ['{"a":1}', '{"a":1}', false],
  ])("%s", (json, text, empty) => expect(readValue(json)).toEqual({ text, empty }));
});

describe("refuse", () => {
  const file = (name: string, size: number) => ({ name, size }) as File;
  it.each([
    ["a.csv", 10, undefined],
    ["A.XLSX", 10, undefined],
    ["a.csv.gz", 10, undefined],
    ["export", 10, undefined],
    ["a.csv", 0, /empty/],
    ["a.csv", 40 * 1024 * 1024, /40 MB.*32 MB/],
    ["a.pdf", 10, /a.pdf cannot be imported/],
    ["a.xls", 10, /Save it as .xlsx/],
  ])("%s of %d bytes", (name, size, says) => {
    const refused = refuse(file(name, size), "en");
    if (says) expect(refused).toMatch(says);
    else expect(refused).toBeUndefined();
  });
});
