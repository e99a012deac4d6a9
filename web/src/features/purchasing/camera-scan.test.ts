import { expect, test } from "vitest";
import { newCodes, whyNoCamera } from "./camera-scan";

test("a code that stays in sight counts once, and again when it comes back", () => {
  const seen = new Map<string, number>();
  expect(newCodes(seen, ["400", "400"], 0)).toEqual(["400"]);
  expect(newCodes(seen, ["400 "], 900)).toEqual([]);
  expect(newCodes(seen, ["401", "400"], 1800)).toEqual(["401"]);
  expect(newCodes(seen, [], 2500)).toEqual([]);
  expect(newCodes(seen, ["400", ""], 2900)).toEqual(["400"]);
});

test("why there is no picture is said in words", () => {
  expect(whyNoCamera(new DOMException("", "NotAllowedError"))).toContain("Allow it");
  expect(whyNoCamera(new DOMException("", "NotFoundError"))).toBe("This device has no camera.");
  expect(whyNoCamera("?")).toContain("cannot be used");
});
