import { expect, test } from "vitest";
import { move } from "./movement";

const extent = { rows: 100, columns: 5, page: 20 };

test.each<[key: string, ctrl: boolean, from: [number, number], to: [number, number]]>([
  ["ArrowDown", false, [0, 0], [1, 0]],
  ["ArrowDown", false, [99, 0], [99, 0]],
  ["ArrowUp", false, [0, 2], [-1, 2]],
  ["ArrowUp", false, [-1, 2], [-1, 2]],
  ["ArrowLeft", false, [3, 0], [3, 0]],
  ["ArrowRight", false, [3, 4], [3, 4]],
  ["ArrowRight", true, [3, 1], [3, 4]],
  ["ArrowDown", true, [3, 1], [99, 1]],
  ["ArrowUp", true, [50, 1], [0, 1]],
  ["Home", false, [7, 3], [7, 0]],
  ["End", false, [7, 3], [7, 4]],
  ["Home", true, [7, 3], [0, 0]],
  ["End", true, [7, 3], [99, 4]],
  ["PageDown", false, [90, 3], [99, 3]],
  ["PageUp", false, [5, 3], [0, 3]],
  ["PageUp", false, [50, 3], [30, 3]],
  ["PageDown", false, [-1, 3], [19, 3]],
])("%s, with Ctrl %s, leads from %j to %j", (key, ctrl, [row, column], [toRow, toColumn]) => {
  expect(move({ row, column }, key, ctrl, extent)).toEqual({ row: toRow, column: toColumn });
});

test("other keys do not move", () => {
  expect(move({ row: 0, column: 0 }, "a", false, extent)).toBeUndefined();
});

test("an empty table has its header", () => {
  expect(move({ row: -1, column: 0 }, "ArrowDown", false, { ...extent, rows: 0 })).toEqual({
    row: -1,
    column: 0,
  });
});
