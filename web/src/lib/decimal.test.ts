import { describe, expect, it } from "vitest";
import { add, compare, isDecimal, isPlausible, multiply } from "./decimal";

describe("decimals", () => {
  it("adds what floats get wrong", () => {
    expect(add("0.1", "0.2")).toBe("0.3");
    expect(add("9007199254740993", "1")).toBe("9007199254740994");
    expect(add("1.50", "-1.5")).toBe("0");
    expect(add("-0.25", "0.2")).toBe("-0.05");
  });
  it("multiplies exactly", () => {
    expect(multiply("3", "1.005")).toBe("3.015");
    expect(multiply("0.1", "0.1")).toBe("0.01");
    expect(multiply("-2", "0.5")).toBe("-1");
    expect(multiply("123456789012.123456", "100")).toBe("12345678901212.3456");
  });
  it("compares by value, not by text", () => {
    expect(compare("10", "9")).toBe(1);
    expect(compare("1.50", "1.5")).toBe(0);
    expect(compare("-1", "0")).toBe(-1);
  });
  it("tells decimals from other text", () => {
    for (const text of ["", "1.", ".5", "1e3", "abc", "1,5"]) expect(isDecimal(text)).toBe(false);
    expect(isDecimal("-12.50")).toBe(true);
    expect(() => add("1", "x")).toThrow(RangeError);
  });
});

it("an amount is plausible up to a million millions", () => {
  for (const text of ["0", "-3.50", "1000000000000", "-1000000000000.00"])
    expect(isPlausible(text)).toBe(true);
  for (const text of ["1000000000000.01", "98765431211434745.89", "-1000000000001", "", "1e3"])
    expect(isPlausible(text)).toBe(false);
});
