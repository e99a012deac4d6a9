import { describe, expect, it } from "vitest";
import { chosenOf, noneOf, reachId, type Selected, setIds, under } from "./selection";

// A row is its id, and the list is a to f.
const list = [..."abcdef"];
const idOf = (row: string) => row;
const picked = (ids: string) => setIds(noneOf("open"), [...ids], true);
const shown = (selected: Selected, rows: readonly string[] = list) => chosenOf(selected, rows, idOf).join("");

describe("a range", () => {
  it.each([
    ["down from the row that was set last", "b", "d", "bcd"],
    ["up, with both ends", "d", "b", "bcd"],
    ["to the first row", "b", "a", "ab"],
    ["to the last row", "e", "f", "ef"],
    ["to the same row", "c", "c", "c"],
    ["from the last of several rows that were set at once", "bd", "f", "bdef"],
    ["without a beginning: one row", "", "c", "c"],
    ["from a row that is not in the list: one row", "z", "c", "c"],
  ])("goes %s", (_, before, to, expected) => {
    expect(shown(reachId(picked(before), list, to, true))).toBe(expected);
  });

  it("goes on from its own end", () => {
    const up = reachId(picked("d"), list, "b", true);
    expect(shown(reachId(up, list, "a", true))).toBe("abcd");
    expect(up.from).toBe("b");
  });

  it("can be unselected", () => {
    const all = { ...picked("abcdef"), from: "b" };
    expect(shown(reachId(all, list, "d", false))).toBe("aef");
  });

  it("has only rows of the list, so that rows that are filtered out or not loaded stay out", () => {
    const filtered = [..."ace"];
    expect([...reachId(picked("a"), filtered, "e", true).ids].join("")).toBe("ace");
  });

  it("follows the list's order, also where rows were sorted anew", () => {
    expect(shown(reachId(picked("b"), [..."fbdaec"], "a", true))).toBe("abd");
  });
});

describe("a selection", () => {
  it("keeps what was set before, and is not changed itself", () => {
    const before = picked("ab");
    expect(shown(setIds(before, ["d"], true))).toBe("abd");
    expect(shown(setIds(before, ["a"], false))).toBe("b");
    expect(shown(before)).toBe("ab");
  });

  it("is over when the filter changes, also for rows that both filters show", () => {
    const other = under(picked("abc"), "resolved");
    expect(shown(other)).toBe("");
    expect(other.ids.size).toBe(0);
    expect(under(picked("abc"), "open").ids.size).toBe(3);
  });

  it("under another filter begins without the rows of the one before, and its ranges too", () => {
    const before = under(picked("ab"), "resolved");
    expect(shown(setIds(before, ["d"], true))).toBe("d");
    expect(shown(reachId(before, list, "d", true))).toBe("d");
  });

  it("is about no row that has left the list: an action must not reach what nobody sees", () => {
    expect(shown(picked("abf"), [..."bcde"])).toBe("b");
  });

  it("lists its rows in the list's order, not in that of the presses", () => {
    expect(shown(picked("dab"))).toBe("abd");
  });
});
