import { describe, expect, it } from "vitest";
import type { Column, FailedValues, TextReading } from "@/api/types.gen";
import { draftFix, fixProblem, fixWords, toFix } from "./fixes";
import { allowed, becomes, formOf, inTable, suggested, withForm, withValue } from "./values";

const column = (given: Partial<Column>) => ({ name: "f", type: "text", ...given }) as Column;
const values = (items: string[], readings: TextReading[] = []): FailedValues => ({
  matching: items.length,
  looked: items.length,
  missing: 0,
  other: 0,
  items: items.map((value) => ({ value, count: 1 })),
  readings,
});
const reading = (form: TextReading["form"], read: Record<string, string>): TextReading => ({
  do: /^decimal/.test(form) ? "number" : "date",
  form,
  count: Object.keys(read).length,
  items: Object.entries(read).map(([from, to]) => ({ from, to })),
});

describe("the table of values", () => {
  it("keeps one fix for each value", () => {
    let fixes = withValue([], "f", '"ja"', "true");
    fixes = withValue(fixes, "f", '"nein"', "false");
    fixes = withValue(fixes, "f", '"ja"', "1");
    expect(becomes(fixes, "f", '"ja"')).toBe("1");
    expect(becomes(fixes, "f", '"vielleicht"')).toBe("");
    expect(fixes).toHaveLength(2);
    expect(withValue(fixes, "f", '"ja"', "")).toHaveLength(1);
  });
  it("tells a text from a number", () => {
    expect(becomes(withValue([], "f", '"1"', "2"), "f", "1")).toBe("");
  });
  it("shows the fixes of its values, and no others", () => {
    const shown = values(['"ja"']);
    expect(inTable(draftFix({ do: "map", field: "f", from: '"ja"' }), "f", shown)).toBe(true);
    expect(inTable(draftFix({ do: "map", field: "f", from: "ja" }), "f", shown)).toBe(true);
    expect(inTable(draftFix({ do: "map", field: "f", from: '"no"' }), "f", shown)).toBe(false);
    expect(inTable(draftFix({ do: "map", field: "g", from: '"ja"' }), "f", shown)).toBe(false);
    expect(inTable(draftFix({ do: "drop", field: "f" }), "f", shown)).toBe(false);
    expect(inTable(draftFix({ do: "number", field: "f" }), "f", shown)).toBe(true);
    expect(inTable(draftFix({ do: "number", field: "f" }), "f", undefined)).toBe(false);
  });
});

describe("suggested", () => {
  it("knows a word in another spelling, and never another word", () => {
    const status = column({ choices: ["open", "on_hold"] });
    const fixes = suggested([], status, values(['"OPEN"', '"On-Hold"', '"returned"', "3"]));
    expect(fixes.map(({ from, value }) => [from, value])).toEqual([
      ['"OPEN"', '"open"'],
      ['"On-Hold"', '"on_hold"'],
    ]);
  });
  it("leaves what a person chose", () => {
    const chosen = withValue([], "f", '"OPEN"', "null");
    expect(suggested(chosen, column({ choices: ["open"] }), values(['"OPEN"']))).toEqual(chosen);
  });
  it("knows yes and no in other languages", () => {
    const active = column({ type: "boolean" });
    const fixes = suggested(
      [],
      active,
      values(['"Ja"', '"NEIN"', '"oui"', '"wahr"', '"0"', '"true"', '"vielleicht"', "1"]),
    );
    expect(fixes.map(({ from, value }) => [from, value])).toEqual([
      ['"Ja"', "true"],
      ['"NEIN"', "false"],
      ['"oui"', "true"],
      ['"wahr"', "true"],
      ['"0"', "false"],
    ]);
  });
  it("says what would be refused", () => {
    expect(allowed(column({ type: "boolean" }), '"Ja"')).toBe(false);
    expect(allowed(column({ type: "boolean" }), '"true"')).toBe(true);
    expect(allowed(column({ choices: ["open"] }), '"Open"')).toBe(false);
    expect(allowed(column({ choices: ["open"] }), '"open"')).toBe(true);
    expect(allowed(column({}), '"anything"')).toBe(true);
  });
  const number = column({ type: "number" });
  it("reads texts that can be read in one way", () => {
    const sent = values(['"1.240,50"'], [reading("decimal_comma", { '"1.240,50"': "1240.50" })]);
    expect(formOf(suggested([], number, sent), "f")).toBe("decimal_comma");
  });
  it("asks if a text can be read in two ways", () => {
    const sent = values(
      ['"1.240,50"', '"1.240"'],
      [
        reading("decimal_point", { '"1.240"': "1.240" }),
        reading("decimal_comma", { '"1.240,50"': "1240.50", '"1.240"': "1240" }),
      ],
    );
    expect(suggested([], number, sent)).toEqual([]);
  });
  it("does not ask if both ways come to the same", () => {
    const same = { '"12.12.2026"': '"2026-12-12"' };
    const sent = values(['"12.12.2026"'], [reading("day_first", same), reading("month_first", same)]);
    expect(formOf(suggested([], column({ type: "date" }), sent), "f")).toBe("day_first");
  });
  it("does not read a number into a text", () => {
    const sent = values(['"1,5"'], [reading("decimal_comma", { '"1,5"': "1.5" })]);
    expect(suggested([], column({ type: "text" }), sent)).toEqual([]);
  });
});

describe("a reading", () => {
  const fix = withForm([], "f", reading("day_first", { '"1.2.2026"': '"2026-02-01"' }))[0] ?? draftFix();
  it("is sent and said as it is", () => {
    expect(toFix(fix)).toEqual({ do: "date", field: "f", form: "day_first" });
    expect(fixWords(toFix(fix))).toBe("read f as a day written 31.12.2026");
    expect(fixProblem(fix)).toBeUndefined();
    expect(fixProblem({ ...fix, form: "" })).toBe("Say how they are written.");
  });
});
