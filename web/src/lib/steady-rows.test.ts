import { describe, expect, it } from "vitest";
import { keepSteady, showAnswer } from "./steady-rows";

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

describe("an answer", () => {
  const list = { rowsOf: rows, idOf: (row: string) => row.toLowerCase(), whole: true };
  const before = showAnswer(undefined, { key: "open", data: "abc", polled: false }, list);
  const shown = (key: string, data: string | undefined, polled: boolean) => {
    const { rows, news } = showAnswer(before, { key, data, polled }, list);
    return [rows?.join(""), news];
  };

  it("of a poll moves no row and is announced", () => {
    expect(shown("open", "xaBc", true)).toEqual(["aBc", 1]);
  });
  it("that a person asked for is shown as it is", () => {
    expect(shown("open", "xaBc", false)).toEqual(["xaBc", 0]);
  });
  it("for another filter keeps no row of the one before, also if it is a poll", () => {
    expect(shown("closed", "xa", true)).toEqual(["xa", 0]);
  });
  it("that is not there yet shows no row of another list", () => {
    expect(shown("closed", undefined, false)).toEqual([undefined, undefined]);
  });
});
