import { describe, expect, it } from "vitest";
import type { Line } from "@/api/types.gen";
import { ApiError } from "@/lib/problem";
import { contestedLine, type InlineField, isChange, shownValue, wantedValue } from "./field-edit";

const line = {
  sku: "TEA",
  status: "ordered",
  quantity_ordered: "1500",
  quantity_received: "0",
  price_per_unit: "12.50",
  currency: "EUR",
  supplier_id: "s1",
  supplier_name: "Tea House",
} as Line;

describe("a change of a field", () => {
  it.each<[string, InlineField, string, string, boolean]>([
    ["is none with the same number written differently", "price_per_unit", "12,5", "de", false],
    ["is none with a group separator", "quantity_ordered", "1.500", "de", false],
    ["is one by a small part", "price_per_unit", "12,501", "de-AT", true],
    ["is one for an ambiguous number, which is asked back", "quantity_ordered", "1,500", "de", true],
    ["is one for what is no number, which is refused", "quantity_ordered", "many", "en", true],
    ["is one if the number is cleared", "price_per_unit", "", "en", true],
    ["is none for a currency in small letters", "currency", "eur", "en", false],
    ["is one for another currency", "currency", "usd", "en", true],
    ["is none for a note that was and is empty", "note", "", "en", false],
    ["is one for a first note", "note", "urgent", "en", true],
  ])("%s", (_, field, text, locale, expected) => {
    expect(isChange(field, { text }, line, locale)).toBe(expected);
  });

  it("is another supplier only if one was picked", () => {
    expect(isChange("supplier_id", { text: "Tea House", id: "s1" }, line, "en")).toBe(false);
    expect(isChange("supplier_id", { text: "Mill", id: "s2" }, line, "en")).toBe(true);
    expect(wantedValue("supplier_id", { text: "Mill" }, "en"), "typed, but not picked").toBeUndefined();
  });
});

describe("a field", () => {
  it("sends decimals exactly, read in the workspace's way", () => {
    expect(wantedValue("quantity_ordered", { text: "1.500" }, "de")).toBe("1500");
    expect(wantedValue("price_per_unit", { text: "12345678901234567,89" }, "de")).toBe(
      "12345678901234567.89",
    );
    expect(() => wantedValue("price_per_unit", { text: "1,500" }, "de")).toThrow(ApiError);
    expect(wantedValue("note", { text: "1.500" }, "de")).toBe("1.500");
    expect(wantedValue("currency", { text: "chf" }, "de")).toBe("CHF");
  });

  it("shows a decimal as it is typed", () => {
    expect(shownValue(line, "price_per_unit", "de")).toBe("12,50");
    expect(shownValue(line, "supplier_id", "de")).toBe("Tea House");
    expect(shownValue(line, "note", "de")).toBe("");
  });

  it("in a conflict shows all three values, and what else was changed", () => {
    const now = { ...line, price_per_unit: "13", quantity_ordered: "1600" };
    expect(contestedLine(line, now, "price_per_unit", { text: "14" }, "en")).toEqual({
      fields: [{ name: "Price", before: "12.50", theirs: "13", mine: "14" }],
      also: ["Quantity ordered 1,500 → 1,600"],
    });
  });
});
