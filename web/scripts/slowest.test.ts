import { expect, test } from "vitest";
import { slowest } from "./slowest";

test("the ten slowest tests are printed, the slowest first", () => {
  const tests = Array.from({ length: 12 }, (_, n) => ({ name: `test ${n}`, ms: n * 100 }));
  const lines = slowest(tests);
  expect(lines).toHaveLength(10);
  expect(lines[0]).toBe("    1.10 s  test 11");
  expect(lines[9]).toBe("    0.20 s  test 2");
});
