import { describe, expect, it } from "vitest";
import { findShortcut, keyCaps, strokeOf } from "./shortcuts";

const press = (key: string, more: object = {}) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  isComposing: false,
  defaultPrevented: false,
  ...more,
});
const reading = { typing: false, single: true };
const typing = { typing: true, single: true };

describe("a key press", () => {
  it("is a shortcut's while nobody types", () => {
    expect(strokeOf(press("J", { shiftKey: true }), reading)).toBe("j");
    expect(strokeOf(press("?"), reading)).toBe("?");
    expect(strokeOf(press("Escape"), reading)).toBe("escape");
  });
  it("is the text's while somebody types, except with Ctrl or Cmd", () => {
    for (const key of ["a", "d", "x", "Escape", "/"]) expect(strokeOf(press(key), typing)).toBeUndefined();
    expect(strokeOf(press("k", { ctrlKey: true }), typing)).toBe("mod+k");
    expect(strokeOf(press("k", { metaKey: true }), typing)).toBe("mod+k");
  });
  it("is nobody's where single keys are switched off, except with Ctrl or Cmd", () => {
    const off = { typing: false, single: false };
    expect(strokeOf(press("a"), off)).toBeUndefined();
    expect(strokeOf(press("k", { ctrlKey: true }), off)).toBe("mod+k");
  });
  it.each(["isComposing", "defaultPrevented", "altKey"])("is left alone: %s", (why) => {
    expect(strokeOf(press("a", { [why]: true }), reading)).toBeUndefined();
    expect(strokeOf(press("k", { ctrlKey: true, [why]: true }), reading)).toBeUndefined();
  });
});

describe("a shortcut", () => {
  const run = () => {};
  const shortcuts = ["g o", "g s", "o", "mod+k", "j"].map((keys) => ({ keys, run }));
  const listed = [...shortcuts, { keys: "enter" }];
  const found = (stroke: string, before = "") => {
    const { found: one, pending } = findShortcut(listed, stroke, before);
    return [one?.keys, pending];
  };
  it("is found by its key", () => expect(found("j")).toEqual(["j", ""]));
  it("of two keys waits for the second", () => {
    expect(found("g")).toEqual([undefined, "g"]);
    expect(found("o", "g")).toEqual(["g o", ""]);
  });
  it("of two keys is over after another key, which runs nothing by itself", () => {
    expect(found("j", "g")).toEqual([undefined, ""]);
    expect(found("g", "g")).toEqual([undefined, "g"]);
  });
  it("with Ctrl needs no second key", () => expect(found("mod+k", "g")).toEqual(["mod+k", ""]));
  it("that the focused element handles is only listed", () => {
    expect(found("enter")).toEqual([undefined, ""]);
  });
});

it("keys are named as on the keyboard", () => {
  expect(keyCaps("mod+k")).toEqual(["Ctrl", "K"]);
  expect(keyCaps("g o")).toEqual(["G", "O"]);
  expect(keyCaps("escape")).toEqual(["Esc"]);
});
