import { expect, test } from "vitest";
import type { ConfigKey, Run } from "@/api/types.gen";
import { readRunSearch } from "./search";
import { canUndo, fourEyes, isGoing, kindOf, limitWords, sentence, starterOf, undoneState } from "./words";

const run = (change: Partial<Run> = {}) =>
  ({
    dry: false,
    status: "done",
    started_by: { type: "user", id: "ada", name: "Ada Brandt" },
    drafted: 0,
    submitted: 3,
    kept: 0,
    ...change,
  }) as Run;

const config = (values: Record<string, unknown>) => ({
  keys: Object.entries(values).map(([name, value]) => ({ name, value }) as ConfigKey),
});

test("a run is named by its kind", () => {
  expect(kindOf(run())).toBe("Run");
  expect(kindOf(run({ dry: true }))).toBe("Dry run");
});

test.each<[Partial<Run>, string]>([
  [{}, "Ada Brandt"],
  [{ started_by: { type: "user", id: "me", name: "Ben" } }, "You"],
  [{ started_by: { type: "user", id: "gone" } }, "A former member"],
  [{ started_by: { type: "agent", id: "a", name: "Night watch" } }, "Night watch"],
  [{ started_by: { type: "agent", id: "a" } }, "An agent"],
  [{ started_by: { type: "system" }, day: "2026-11-17" }, "Daily"],
  [{ started_by: { type: "operator" } }, "The operator"],
])("the starter of %o is %s", (change, name) => {
  expect(starterOf(run(change), "me")).toBe(name);
});

test("only an ended run that left lines can be undone", () => {
  expect(canUndo(run())).toBe(true);
  expect(canUndo(run({ status: "failed", submitted: 0, drafted: 1 }))).toBe(true);
  expect(canUndo(run({ dry: true }))).toBe(false);
  expect(canUndo(run({ status: "running" }))).toBe(false);
  expect(canUndo(run({ submitted: 0 }))).toBe(false);
  expect(isGoing(run({ status: "queued" }))).toBe(true);
});

test("a run is undone in part while lines of it are left", () => {
  const undone_at = "2026-11-17T10:00:00Z";
  expect(undoneState(run())).toBe("");
  expect(undoneState(run({ undone_at, submitted: 0 }))).toBe("Undone");
  expect(undoneState(run({ undone_at, submitted: 0, kept: 1 }))).toBe("Undone in part");
  expect(undoneState(run({ undone_at }))).toBe("Undone in part");
});

test("what a run may do follows from the config", () => {
  const limits = (values: Record<string, unknown>) => limitWords(config(values), "en-GB");
  expect(limits({ agent_max_lines_per_run: 50, agent_can_submit: true })).toBe(
    "It drafts at most 50 lines, and submits them for approval.",
  );
  expect(limits({ agent_max_lines_per_run: 1500, agent_can_submit: false })).toBe(
    "It drafts at most 1,500 lines, and leaves them as drafts.",
  );
  expect(limits({ agent_max_lines_per_run: 0, agent_can_submit: true })).toBe(
    "It drafts nothing: the playbook allows no lines.",
  );
  expect(limitWords(undefined, "en-GB")).toContain("within the limits of the playbook");
});

test("four eyes are the rule, unless the config says otherwise", () => {
  expect(fourEyes(undefined)).toBe(true);
  expect(fourEyes(config({ require_four_eyes: true }))).toBe(true);
  expect(fourEyes(config({ require_four_eyes: false }))).toBe(false);
});

test("refusals are sentences", () => {
  expect(sentence("another open line already answers it")).toBe("Another open line already answers it.");
  expect(sentence("Kept: it was changed.")).toBe("Kept: it was changed.");
});

test("the address holds the tab and the pages, and nothing else", () => {
  expect(readRunSearch({ tab: "left_out", pages: 3, more: 1 })).toEqual({ tab: "left_out", pages: 3 });
  expect(readRunSearch({ tab: "chosen", pages: 1 })).toEqual({});
});
