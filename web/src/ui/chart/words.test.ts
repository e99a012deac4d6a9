import { expect, it } from "vitest";
import { chartWords } from "./words";

it.each([
  ["en", "48.2K", "1.2M"],
  ["de", "48,2K", "1,2M"],
  ["pt-BR", "48,2K", "1,2M"],
])("an axis is short, in %s with its own point and the page's letters", (locale, thousands, millions) => {
  const { tick } = chartWords({ locale });
  expect([tick(48_200), tick(1_248_200)]).toEqual([thousands, millions]);
  expect(tick(999)).toBe("999");
});
