import { expect, test } from "vitest";
import type { Backfill } from "@/api/types.gen";
import { hasEnded } from "./unknown";

const backfill = (id: string, status: Backfill["status"]) => ({ id, status }) as Backfill;

test("a backfill that has ended is noticed once, also if it was never seen running", () => {
  const done = [backfill("a", "done")];
  expect(hasEnded(undefined, done)).toBe(false);
  expect(hasEnded([], [backfill("a", "running")])).toBe(false);
  expect(hasEnded([backfill("a", "running")], done)).toBe(true);
  expect(hasEnded([], done)).toBe(true);
  expect(hasEnded(done, done)).toBe(false);
  expect(hasEnded(done, [backfill("b", "queued"), ...done])).toBe(false);
});
