import { describe, expect, it } from "vitest";
import type { ImportColumn } from "@/api/types.gen";
import { refuse } from "./files";
import { agreed, choose, readValue, refine, targetOf } from "./mapping";

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

describe("refine", () => {
  const price = column("Preis", "price");
  it("keeps where a column goes, and what else was said of it", () => {
    const said = refine([], price, { form: "decimal_comma" });
    expect(said).toEqual([{ from: "Preis", to: "price", form: "decimal_comma" }]);
    const values = [{ from: '"?"', to: "null" }];
    expect(refine(said, price, { values })).toEqual([
      { from: "Preis", to: "price", form: "decimal_comma", values },
    ]);
  });
  it("is forgotten when the column goes elsewhere", () => {
    expect(choose(refine([], price, { form: "decimal_comma" }), "Preis", "note")).toEqual([
      { from: "Preis", to: "note" },
    ]);
  });
});

describe("agreed", () => {
  const written = (from: string, form: "decimal_comma" | "decimal_point" | undefined): ImportColumn => ({
    ...column(from, from),
    reading: {
      kind: "number",
      verdict: form ? "settled" : "ambiguous",
      forms: [],
      ...(form && { form }),
    },
  });
  const asked = written("Bestand", undefined);
  it("names a column that is sure", () => {
    expect(agreed([written("Preis", "decimal_comma"), asked], asked)?.from).toBe("Preis");
  });
  it("says nothing if the sure ones differ, or there are none", () => {
    const both = [written("Preis", "decimal_comma"), written("Cost", "decimal_point"), asked];
    expect(agreed(both, asked)).toBeUndefined();
    expect(agreed([asked, written("Menge", undefined)], asked)).toBeUndefined();
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
