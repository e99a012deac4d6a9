import { describe, expect, it } from "vitest";
import { formatBytes, formatMoney, formatNumber, formatSum } from "./format";

// Intl uses narrow and no-break spaces; these tests compare only the figures.
const plain = (text: string) => text.replace(/\s/g, " ");

describe("formatNumber", () => {
  it("groups in the workspace's locale", () => {
    expect(formatNumber(1234567, "en")).toBe("1,234,567");
    expect(formatNumber(1234567, "de")).toBe("1.234.567");
  });

  it("keeps every digit of a decimal string", () => {
    expect(formatNumber("12345678901234567890.25", "en", { digits: 2 })).toBe(
      "12,345,678,901,234,567,890.25",
    );
  });

  it("writes ratios as percentages", () => {
    expect(formatNumber(0.0734, "en", { percent: true })).toBe("7.3%");
  });

  it("shows text that is no number as it is, and never NaN", () => {
    expect(formatNumber("n/a", "en")).toBe("n/a");
    expect(formatNumber(Number.NaN, "en")).toBe("–");
  });
});

describe("formatMoney", () => {
  it("writes the currency as its locale does", () => {
    expect(plain(formatMoney("18240.5", "EUR", "de"))).toBe("18.240,50 €");
    expect(formatMoney("-3", "USD", "en")).toBe("-$3.00");
  });

  it("uses the currency's own number of decimals", () => {
    expect(formatMoney("1200", "JPY", "en")).toBe("¥1,200");
  });
});

describe("formatSum", () => {
  it("leaves out the decimals of whole amounts only", () => {
    expect(formatSum("3210", "EUR", "en")).toBe("€3,210");
    expect(formatSum("3210.00", "EUR", "en")).toBe("€3,210");
    expect(formatSum("3210.5", "EUR", "en")).toBe("€3,210.50");
    expect(plain(formatSum("3210.5", "EUR", "de"))).toBe("3.210,50 €");
  });

  it("is a number without a currency", () => {
    expect(formatSum("3210.5", undefined, "en")).toBe("3,210.5");
    expect(formatSum("12", "", "en")).toBe("12");
  });
});

describe("formatBytes", () => {
  it.each([
    [0, "0 byte"],
    [999, "999 byte"],
    [1536, "1.5 kB"],
    [32 * 1024 * 1024, "32 MB"],
  ])("%d", (bytes, text) => expect(plain(formatBytes(bytes, "en"))).toBe(text));
});
