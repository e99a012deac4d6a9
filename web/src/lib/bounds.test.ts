import { expect, it } from "vitest";
import { usualLeast, usualMost, writeBound } from "./bounds";

it.each([
  [usualMost, "1,000,000,000,000"],
  [usualLeast, "-1,000,000,000,000"],
  ["0", "0"],
  ["100000000000000000000", "100,000,000,000,000,000,000"],
  ["0.00001", "0.00001"],
  ["1e20", "1e20"],
])("writes %s", (bound, written) => {
  expect(writeBound(bound, "en")).toBe(written);
});
