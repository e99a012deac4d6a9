import { describe, expect, it } from "vitest";
import { keepSteady } from "./steady-rows";

// A row is its id; a capital letter means that it has changed.
const rows = (text: string) => [...text];
const steady = (shown: string, answer: string, whole = true) => {
  const found = keepSteady(rows(shown), rows(answer), (row) => row.toLowerCase(), whole);
  return [found.rows.join(""), found.news];
};

describe("keepSteady", () => {
  it.each([
    ["changes rows in place", "abc", "aBc", true, "aBc", 0],
    ["counts new rows and shows none", "abc", "xyabC", true, "abC", 2],
    ["counts a new row at the end of a whole list", "abc", "abcx", true, "abc", 1],
    ["leaves out rows that are gone", "abc", "ac", true, "ac", 0],
    ["keeps the order", "abc", "Cab", true, "abC", 0],
    ["shows everything where nothing was", "", "ab", true, "ab", 0],
    ["empties a list", "abc", "", true, "", 0],
    ["continues a page from which rows have gone", "abc", "acd", false, "acd", 0],
    ["keeps rows that new ones pushed past the page", "abc", "xya", false, "abc", 2],
    ["keeps all rows when a whole page is new", "abc", "xyz", false, "abc", 3],
    ["leaves out a row that is gone before one that is still there", "abc", "xac", false, "ac", 1],
  ])("%s", (_, shown, answer, whole, expected, news) => {
    expect(steady(shown, answer, whole)).toEqual([expected, news]);
  });
});
