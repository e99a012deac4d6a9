import { expect, it } from "vitest";
import type { ColumnTrial } from "@/api/types.gen";
import { finds, fineInWords, judged, reason, refusing, rowsInWords, sourceInWords, tightens } from "./trial";

const tried = { looked: 0, refused: 0, missing: 0, unreadable: 0, converted: 0, examples: [] };

function trialOf(change: Partial<ColumnTrial>): ColumnTrial {
  return { rows: tried, sources: [], since: "2026-03-14T00:00:00Z", new: false, retyped: false, ...change };
}

it.each([
  ["a new column", undefined, {}, false],
  ["a new column that is required", undefined, { required: true }, true],
  ["required now", {}, { required: true }, true],
  ["no longer required", { required: true }, {}, false],
  ["choices now", {}, { choices: ["open"] }, true],
  ["another choice", { choices: ["open"] }, { choices: ["open", "done"] }, false],
  ["a choice less", { choices: ["open", "done"] }, { choices: ["open"] }, true],
  ["a higher minimum", { minimum: "9" }, { minimum: "10" }, true],
  ["a lower minimum", { minimum: "10" }, { minimum: "9" }, false],
  ["a lower maximum", { maximum: "10" }, { maximum: "9" }, true],
  ["no maximum any more", { maximum: "10" }, {}, false],
  ["no wide maximum any more", { maximum: "1e15" }, {}, true],
  ["a maximum now", {}, { maximum: "10" }, true],
  ["a wider maximum than the usual one", {}, { maximum: "1e15" }, false],
  ["no wide minimum any more", { minimum: "-1e15" }, {}, true],
  ["another type", { type: "number" as const }, {}, true],
])("%s", (_, before, after, wanted) => {
  const column = before && { name: "a", type: "text" as const, ...before };
  expect(tightens(column, { type: "text", ...after })).toBe(wanted);
});

it("does not judge what is said of a column", () => {
  expect(judged({ type: "number", minimum: " 1", description: "a" })).toEqual(
    judged({ type: "number", minimum: "1", description: "b" }),
  );
});

it("says what would have been refused", () => {
  const shop = { ...tried, by_type: "key", by_name: "Shop sync", looked: 1000, refused: 30, missing: 7 };
  const board = { ...tried, by_type: "key", looked: 1, refused: 1 };
  const trial = trialOf({
    rows: { ...tried, looked: 5000, of: 12400, refused: 300, missing: 1 },
    sources: [shop, board, { ...shop, refused: 0, missing: 0 }],
  });
  expect(finds(trial)).toBe(true);
  expect(refusing(trial).map((source) => sourceInWords(source, "en"))).toEqual([
    "Would have refused 37 of the last 1,000 records of Shop sync.",
    "Would have refused 1 of the last 1 record of a key that is gone.",
  ]);
  expect(rowsInWords(trial, "en")).toEqual([
    "300 stored rows break the rule. What is stored stays.",
    "1 stored row has no value. What is stored stays, and can still be changed.",
    "The newest 5,000 of 12,400 rows were looked at.",
  ]);
});

it("says what a new type does to the stored values", () => {
  const rows = { ...tried, looked: 100, of: 100, refused: 5, unreadable: 3, converted: 97 };
  expect(rowsInWords(trialOf({ rows, retyped: true }), "en")).toEqual([
    "97 stored rows are converted.",
    "3 stored rows cannot be converted: the value will be emptied, and the history keeps it.",
    "2 stored rows break the rule. What is stored stays.",
  ]);
});

it("says that all is fine", () => {
  const trial = trialOf({
    rows: { ...tried, looked: 12400, of: 12400 },
    sources: [{ ...tried, by_type: "key", looked: 1000 }],
  });
  expect(finds(trial)).toBe(false);
  expect(fineInWords(trial, "en")).toBe(
    "None of the 12,400 stored rows and the last 1,000 records would have been refused.",
  );
});

it("leaves out the column's name", () => {
  const example = { record: "1", key: "D-1", workspace: "w", code: "choice" };
  expect(reason({ ...example, message: 'status: "paused" is not one of open' }, "status")).toBe(
    '"paused" is not one of open',
  );
  expect(reason({ ...example, message: "missing required field: status" }, "status")).toBe(
    "Missing required field: status",
  );
});
