import { describe, expect, it } from "vitest";
import { compare } from "./decimal";
import { readDecimal, typedDecimals, writeDecimal } from "./decimal-text";
import { formatMoney, formatNumber } from "./format";
import { ApiError } from "./problem";

const nbsp = "\u00a0";
const narrow = "\u202f";

describe("typed decimals are read as the locale writes them", () => {
  it.each([
    ["de", "1.500", "1500"],
    ["de", "1,5", "1.5"],
    ["de", "2,75", "2.75"],
    ["de", "1.234.567,891", "1234567.891"],
    ["de", "1500,125", "1500.125"],
    ["de", "0,125", "0.125"],
    ["de", "1,5000", "1.5000"],
    ["de", "−3", "-3"],
    ["de", "+3", "3"],
    ["de", " 12 ", "12"],
    ["de", "", ""],
    ["de", "007", "7"],
    ["en", "1.500", "1.500"],
    ["en", "1,500", "1500"],
    ["en", "1,234,567.8", "1234567.8"],
    ["en", ".5", "0.5"],
    ["en", "-1,500.25", "-1500.25"],
    ["fr", `1${narrow}500,5`, "1500.5"],
    ["fr", "1 500,5", "1500.5"],
    ["fr", `12${nbsp}345`, "12345"],
    ["de-CH", "1’500.5", "1500.5"],
    ["de-CH", "1'500.5", "1500.5"],
    ["en-IN", "12,34,567.5", "1234567.5"],
    ["en-IN", "1,500", "1500"],
    ["pl", "1 500", "1500"],
    ["pl", `12${nbsp}345,67`, "12345.67"],
    ["sv", "−1 500,5", "-1500.5"],
    ["pt-BR", "1.500,75", "1500.75"],
    ["ja", "1,500.5", "1500.5"],
    ["es", "1.500", "1500"],
    ["ar-EG", "١٬٥٠٠٫٥", "1500.5"],
  ])("%s: %s", (locale, text, value) => expect(readDecimal(text, locale)).toEqual({ value }));

  it.each([
    ["de", "1,500", ["1,5", "1500"]],
    ["de", "1,234", ["1,2340", "1234"]],
    ["de", "-1,500", ["-1,5", "-1500"]],
    ["de", "1.50", ["1,5", "150"]],
    ["de", "0.500", ["0,5", "500"]],
    ["de", "1,234.5", ["1234,5", "12345"]],
    ["de", "1 500", ["1500"]],
    ["de", "1.234.56", ["123456"]],
    ["en", "1,50", ["1.5", "150"]],
    ["en", "1,5", ["1.5", "15"]],
    ["en", "1.234,5", ["1234.5", "12345"]],
    ["en", "12,34,567", ["1234567"]],
    ["en-IN", "1,234,567", ["1234567"]],
    ["fr", "1,500", ["1,5", "1500"]],
    ["fr", "1.500", ["1,5", "1500"]],
    ["fr", `1 500${narrow}000`, ["1500000"]],
    ["de-CH", "1,500", ["1.5", "1500"]],
    ["pl", "1,500", ["1,5", "1500"]],
    ["sv", "1.5", ["1,5", "15"]],
    ["pt-BR", "1,500", ["1,5", "1500"]],
    ["ja", "1,50", ["1.5", "150"]],
  ])("%s: %s is asked back, as %j", (locale, text, meant) => {
    const ask = `${text} — did you mean ${meant.join(" or ")}? Write it that way.`;
    expect(readDecimal(text, locale)).toEqual({ ask });
    // The suggestions themselves are unambiguous.
    for (const one of meant) expect(readDecimal(one, locale)).toHaveProperty("value");
  });

  it.each(["1e3", "many", "1,", "--1", "1 -", "1,,5", "Infinity", "½", "1_000"])(
    "%s is not a number",
    (text) => {
      expect(readDecimal(text, "de")).toEqual({ ask: `“${text}” is not a number. Write it like 1234,5.` });
    },
  );
});

const locales = ["de", "en", "fr", "de-CH", "en-IN", "pl", "sv", "pt-BR", "ja", "es", "pt-PT", "fi", "ar-EG"];

/** The same numbers on every run. */
function* decimals(count: number): Generator<string> {
  let seed = 20_261_116;
  const next = (below: number) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
    return Math.floor((seed / 0x80000000) * below);
  };
  const digits = (length: number) => Array.from({ length }, () => next(10)).join("");
  for (let n = 0; n < count; n++) {
    const whole = BigInt(digits(1 + next(18))).toString();
    const scale = next(7);
    yield (next(3) === 0 ? "-" : "") + whole + (scale > 0 ? `.${digits(scale)}` : "");
  }
}

describe.each(locales)("in %s", (locale) => {
  it("a draft reads back as the same decimal", () => {
    for (const value of decimals(2000)) {
      const read = readDecimal(writeDecimal(value, locale), locale);
      expect(read, value).toHaveProperty("value");
      expect("value" in read && compare(read.value, value), value).toBe(0);
    }
  });

  // A shown number may be ambiguous, as 1,234 is in German: the question offers it, nothing misreads it.
  it("what is shown reads back as the same decimal, or is asked back with it", () => {
    let asked = 0;
    for (const value of decimals(2000)) {
      const scale = value.split(".")[1]?.length ?? 0;
      const read = readDecimal(formatNumber(value, locale, { digits: scale }), locale);
      if ("value" in read) expect(compare(read.value, value), value).toBe(0);
      else {
        asked++;
        expect(scale, value).toBe(3);
        expect(read.ask).toContain(writeDecimal(value, locale));
      }
    }
    expect(asked).toBeLessThan(100);
  });

  it("an amount of money, without its currency, reads back as the same decimal", () => {
    for (const value of decimals(500)) {
      const cents = `${value.split(".")[0]}.25`;
      const amount = formatMoney(cents, "EUR", locale).replace(/\s*(€|EUR)\s*/, "");
      const read = readDecimal(amount, locale);
      expect("value" in read && compare(read.value, cents), amount).toBe(0);
    }
  });
});

it("a draft keeps its digits, and what is no decimal stays", () => {
  expect(writeDecimal("1.10", "de")).toBe("1,10");
  expect(writeDecimal("1.500", "de")).toBe("1,5");
  expect(writeDecimal("100.000", "de")).toBe("100");
  expect(writeDecimal("n/a", "de")).toBe("n/a");
});

it("all numbers of a form that are not clear are refused at once, where they stand", () => {
  expect(typedDecimals({ price: "1.500", quantity: "2,5" }, "de")).toEqual({
    price: "1500",
    quantity: "2.5",
  });
  let thrown: unknown;
  try {
    typedDecimals({ price: "1,500", quantity: "x", other: "1" }, "de");
  } catch (cause) {
    thrown = cause;
  }
  expect(thrown).toBeInstanceOf(ApiError);
  const refusal = thrown as ApiError;
  expect(refusal.fieldError("price")).toMatch(/^1,500 — did you mean 1,5 or 1500\?/);
  expect(refusal.fieldError("quantity")).toMatch(/not a number/);
  expect(refusal.fieldError("other")).toBeUndefined();
});
