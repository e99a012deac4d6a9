import { expect, test } from "vitest";
import { listed, verdict } from "./alone";

test("a test that failed is named for Playwright's list", () => {
  expect(listed(["", "app", "app/keys.spec.ts", "desktop", "a key is made"])).toBe(
    "[app] › app/keys.spec.ts › desktop › a key is made",
  );
});

test("the verdict tells flaky neighbours from a defect", () => {
  expect(verdict("a", 5)).toContain("alone: 5 of 5 passed: it fails beside others");
  expect(verdict("a", 2)).toContain("alone: 2 of 5 passed: it fails now and then by itself");
  expect(verdict("a", 0)).toContain("alone: 0 of 5 passed: it fails by itself");
});
