import { expect, test } from "vitest";
import type { Entry } from "@/api/types.gen";
import { procurementAgent } from "@/lib/agents";
import { collapse, valueBefore, writer } from "./history";

test("what a field was before is what an older entry made of it", () => {
  const entries = [
    { values: { day: "17" } },
    { values: { note: "x" } },
    { values: { day: "3", note: null } },
  ];
  expect(valueBefore(entries, 0, "day")).toBe("3");
  expect(valueBefore(entries, 1, "note")).toBeNull();
  expect(valueBefore(entries, 2, "day")).toBeUndefined();
});

test("deliveries that changed nothing are told as one, per writer", () => {
  const entry = (result: Entry["result"], by_id: string) => ({
    result,
    by_type: "key",
    by_id,
  });
  const told = collapse([
    entry("unchanged", "a"),
    entry("unchanged", "a"),
    entry("unchanged", "b"),
    entry("updated", "a"),
    entry("unchanged", "a"),
    entry("stale", "a"),
    entry("unchanged", "a"),
    entry("created", "a"),
  ]);
  expect(told.map(({ unchanged }) => unchanged)).toEqual([2, 1, 0, 1, 0, 1, 0]);
});

test.each([
  [{ by_type: "user", by_name: "Ada Brandt" }, "Ada Brandt"],
  [{ by_type: "user" }, "somebody who has left"],
  [{ by_type: "key", by_name: "Shop" }, "the key “Shop”"],
  [{ by_type: "key" }, "a key that is gone"],
  [{ by_type: "agent", by_id: procurementAgent, by_name: "Procurement agent" }, "Procurement agent"],
  [{ by_type: "agent", by_id: "a", by_name: "Reorder" }, "the agent “Reorder”"],
  [{ by_type: "agent", by_id: "a" }, "the agent"],
  [{ by_type: "sync", by_id: "c", by_name: "Katana sync" }, "Katana sync"],
  [{ by_type: "sync", by_id: "c" }, "a sync"],
  [{ by_type: "system" }, "Quayside"],
])("%j wrote as %s", (by, words) => {
  expect(writer(by)).toBe(words);
});
