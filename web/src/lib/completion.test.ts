import { describe, expect, it } from "vitest";
import { addMember, completionAt, type Offered } from "./completion";

const columns: Offered[] = [
  { name: "external_id", type: "text", description: "Its id", required: true },
  { name: "name", type: "text", description: "Its name" },
  { name: "status", type: "text", description: "", choices: ["open", "completed"] },
  { name: "is_test", type: "boolean", description: "" },
];

/** The bar marks the caret. */
function at(text: string) {
  const caret = text.indexOf("|");
  const plain = text.replace("|", "");
  const found = completionAt(plain, caret, columns);
  return (
    found && {
      cut: plain.slice(found.from, found.to),
      labels: found.suggestions.map((one) => one.label),
      first: found.suggestions[0]?.insert,
    }
  );
}

describe("completionAt", () => {
  it("offers the columns that are not there yet", () => {
    expect(at('{"name": "x", |}')?.labels).toEqual(["external_id", "status", "is_test"]);
    expect(at('{"|')).toEqual({
      cut: '"',
      labels: ["external_id", "name", "status", "is_test"],
      first: '"external_id": ',
    });
  });
  it("puts names that begin with what was typed first", () => {
    expect(at('{"s|')?.labels).toEqual(["status", "is_test"]);
    expect(at("{s|")?.labels).toEqual(["status", "is_test"]);
  });
  it("replaces a name that has its colon already", () => {
    expect(at('{"na|": 1}')).toEqual({ cut: '"na"', labels: ["name", "external_id"], first: '"name"' });
  });
  it("offers known values", () => {
    expect(at('{"status": "|"}')).toEqual({ cut: '""', labels: ['"open"', '"completed"'], first: '"open"' });
    expect(at('{"is_test": t|}')?.labels).toEqual(["true"]);
    expect(at('{"name": "|"}')).toBeUndefined();
  });
  it("offers nothing inside of other objects, behind a value, or outside", () => {
    for (const text of ['{"a": {"|', '{"a": ["|', '{"a": 1|}', '{"name": 1 |', "|", "{} |", '{"name"|: 1}'])
      expect(at(text)).toBeUndefined();
  });
});

describe("addMember", () => {
  it.each([
    ['{\n  "a": 1\n}', '{\n  "a": 1,\n  "b": 2\n}'],
    ["{}", '{\n  "b": 2\n}'],
    ['{"a": {"c": 1}}', '{"a": {"c": 1},\n  "b": 2\n}'],
    ['{"a": 1,}', '{"a": 1,\n  "b": 2\n}'],
    ["", '{\n  "b": 2\n}'],
  ])("%j", (text, want) => {
    const added = addMember(text, "b", "2");
    expect(added.text).toBe(want);
    expect(added.text.slice(added.from, added.to)).toBe("2");
  });
});
