import { describe, expect, it } from "vitest";
import { meaning, numberWords } from "./words";

describe("numberWords", () => {
  it.each([
    ["1240", "one thousand two hundred forty"],
    ["1.240", "one point two four"],
    ["1.000", "one"],
    ["0.005", "zero point zero zero five"],
    ["-21", "minus twenty-one"],
    ["100", "one hundred"],
    ["1000000", "one million"],
    ["999999", "nine hundred ninety-nine thousand nine hundred ninety-nine"],
    ["12345678901234", "12345678901234"],
  ])("%s is %s", (number, words) => expect(numberWords(number)).toBe(words));
});

describe("meaning", () => {
  it("names the month", () => {
    expect(meaning("date", "2026-04-03", "en-GB")).toBe("3 April 2026");
    expect(meaning("date", "2026-03-04T09:30:00", "de-DE")).toMatch(/March/);
    expect(meaning("number", "1240", "en-GB")).toBe("one thousand two hundred forty");
  });
});
