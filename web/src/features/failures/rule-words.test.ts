import { describe, expect, it } from "vitest";
import type { Fix } from "@/api/types.gen";
import { asRule, ruleWords } from "./rule-words";

describe("a rule in words", () => {
  const cases: [Fix, string][] = [
    [
      { do: "map", field: "accepts_marketing", from: "ja", value: true },
      '"ja" becomes true in accepts_marketing',
    ],
    [{ do: "set", field: "currency", value: "EUR" }, 'currency becomes "EUR" in every record'],
    [{ do: "set", field: "note", value: null }, "note becomes null in every record"],
    [
      { do: "set", field: "currency", value: "EUR", missing: true },
      'A new record without currency gets "EUR"',
    ],
    [{ do: "rename", field: "Price", to: "price" }, "Price is renamed to price"],
    [{ do: "drop", field: "note" }, "note is dropped from every record"],
    [
      { do: "number", field: "total", form: "decimal_comma" },
      "Texts in total are read as numbers written 1.234,56",
    ],
    [
      { do: "date", field: "ordered_at", form: "day_first" },
      "Texts in ordered_at are read as days written 31.12.2026",
    ],
  ];
  it.each(cases)("%j", (fix, words) => expect(ruleWords(fix)).toBe(words));

  it("does not show a long value whole", () =>
    expect(ruleWords({ do: "set", field: "a", value: "x".repeat(5000) }).length).toBeLessThan(200));
});

describe("a fix that is kept", () => {
  const fix: Fix = { do: "set", field: "currency", value: "EUR" };
  it("gives what was missing to new records", () =>
    expect(asRule(fix, { code: "required", field: "currency" }).missing).toBe(true));
  it("otherwise sets it everywhere", () => {
    expect(asRule(fix, { code: "choice", field: "currency" })).toBe(fix);
    expect(asRule(fix, { code: "required", field: "name" })).toBe(fix);
  });
});
