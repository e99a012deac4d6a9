import { describe, expect, it } from "vitest";
import { findProblem, layOut, members, onOneLine, tokenize, tokenLines } from "./json-text";

const kinds = (text: string) =>
  tokenize(text)
    .filter((token) => token.kind !== "space")
    .map((token) => `${token.kind}:${text.slice(token.start, token.end)}`);

describe("tokenize", () => {
  it("tells names from text by the colon", () => {
    expect(kinds('{"a" : "b", "c":[1.50, true]}')).toEqual([
      "punctuation:{",
      'name:"a"',
      "punctuation::",
      'string:"b"',
      "punctuation:,",
      'name:"c"',
      "punctuation::",
      "punctuation:[",
      "number:1.50",
      "punctuation:,",
      "word:true",
      "punctuation:]",
      "punctuation:}",
    ]);
  });
  it("covers any text without gaps", () => {
    for (const text of [
      '{"a":"unclosed\n, x: 01 }}]',
      "",
      "\\",
      '"\\"',
      "{'a': NaN}",
      '{"a": "\\',
      "  é\u0000",
    ]) {
      const tokens = tokenize(text);
      expect(tokens.map((token) => text.slice(token.start, token.end)).join("")).toBe(text);
      expect(tokens.every((token) => token.end > token.start)).toBe(true);
    }
  });
  it("ends an unclosed text with its line", () => {
    expect(kinds('{"a": "x\n"b": 1}')).toContain('name:"b"');
  });
});

describe("members", () => {
  const named = (text: string, name: string) =>
    members(text)
      .filter((member) => member.name === name)
      .map((member) => text.slice(member.start, member.end));

  it("finds the record's own field, not one inside that is called the same", () => {
    const text = '{"address": {"qty": "no", "x": [{"qty": 1}]}, "qty": "many", "list": ["qty"]}';
    expect(named(text, "qty")).toEqual(['"qty": "many"']);
    expect(members(text).map((member) => member.name)).toEqual(["address", "qty", "list"]);
    expect(members(text)[0]?.value).toBe('{"qty": "no", "x": [{"qty": 1}]}');
  });
  it("finds every one of repeated names", () => {
    expect(named('{"a": 1, "b": 2, "a": 3}', "a")).toEqual(['"a": 1', '"a": 3']);
  });
  it("reads names with escapes", () => {
    expect(named('{"\\u0061": 1}', "a")).toEqual(['"\\u0061": 1']);
  });
  it("does what it can with broken text", () => {
    expect(named('{"a": "open\n"b": 2', "a")).toEqual(['"a": "open']);
    expect(named('{"a": \n"b": 2', "b")).toEqual(['"b": 2']);
    expect(named('{"a":, "b": 2}', "a")).toEqual(['"a":']);
    expect(members('{"a":}')[0]?.value).toBe("");
    expect(members("no json at all")).toEqual([]);
    expect(members("")).toEqual([]);
  });
});

describe("findProblem", () => {
  it.each([
    ['{"a": 1, "b": [true, null, "x", {"c": -1.5e+3}]}', undefined],
    ["{}", undefined],
    ["", "1:1 There is nothing here"],
    ["[1]", "1:1 A record is one object"],
    ['{"a": 1} x', "1:10 The record ends before this"],
    ['{"a": 1,}', "1:9 A comma may not stand before }"],
    ['{"a": 1\n "b": 2}', "2:2 A comma or } is missing"],
    ['{"a" 1}', "1:6 A colon is missing"],
    ["{a: 1}", "1:2 A name in quotation marks"],
    ['{"a": }', "1:7 A value is missing"],
    ['{"a": soon}', "1:7 soon is not a value"],
    ['{"a": 01}', "1:7 01 is not a valid JSON number"],
    ["{\"a\": 'x'}", '1:7 Text stands between " marks'],
    ['{"a": "x\n}', "1:7 The closing quotation mark"],
    ['{"a": "\\x"}', "1:7 This text has a character"],
    ['{"a": 1', "1:8 A } is missing at the end"],
    ['{"a": [1', "1:9 A ] is missing at the end"],
    ['{"a": 1, "\\u0061": 2}', "1:10 “a” is there twice"],
    [`{"a": ${"[".repeat(32)}${"]".repeat(32)}}`, "1:38 Nested deeper"],
  ])("%s", (text, want) => {
    const found = findProblem(text);
    if (want === undefined) expect(found).toBeUndefined();
    else expect(`${found?.line}:${found?.column} ${found?.message}`).toContain(want);
  });
});

describe("layout", () => {
  it("keeps every literal", () => {
    const text =
      '{"n": 12345678901234567890.10, "e":1E5,"s":"\\u00e9 é", "o":{ }, "l":[ ], "d":[1,{"x":null}]}';
    expect(layOut(text)).toBe(
      [
        "{",
        '  "n": 12345678901234567890.10,',
        '  "e": 1E5,',
        '  "s": "\\u00e9 é",',
        '  "o": {},',
        '  "l": [],',
        '  "d": [',
        "    1,",
        "    {",
        '      "x": null',
        "    }",
        "  ]",
        "}",
      ].join("\n"),
    );
    expect(onOneLine(layOut(text))).toBe(onOneLine(text));
  });
  it("leaves what is no JSON alone", () => {
    expect(layOut("{ a")).toBe("{ a");
    expect(onOneLine("{\n a")).toBe("{\n a");
  });
});

it("cuts tokens into lines", () => {
  const text = '{\n\n  "a": 1\n}';
  expect(tokenLines(text).map((line) => line.map((t) => text.slice(t.start, t.end)).join(""))).toEqual([
    "{",
    "",
    '  "a": 1',
    "}",
  ]);
});
