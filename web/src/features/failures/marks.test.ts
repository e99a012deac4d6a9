import { describe, expect, it } from "vitest";
import type { Column } from "@/api/types.gen";
import { absentFields, marksFor, verdicts } from "./marks";

const wrong = (field: string, code = "type") => ({ pointer: `#/${field}`, code, detail: `${field}: wrong` });
const marked = (text: string, ...fields: string[]) =>
  marksFor(
    text,
    fields.map((field) => wrong(field)),
  ).map((mark) => text.slice(mark.start, mark.end));

describe("marksFor", () => {
  it("marks name and value, over lines too", () => {
    expect(marked('{"a": 1, "b": {\n"c": 2\n}}', "b")).toEqual(['"b": {\n"c": 2\n}']);
    expect(marked('{"a": 1, "b": 2}', "b", "a")).toEqual(['"a": 1', '"b": 2']);
  });
  it("leaves fields of objects inside alone", () => {
    expect(marked('{"to": {"qty": 1}, "lines": [{"qty": 2}], "qty": "x"}', "qty")).toEqual(['"qty": "x"']);
    expect(marked('{"to": {"qty": 1}}', "qty")).toEqual([]);
  });
  it("marks every repeated name", () => {
    expect(marked('{"qty": 1, "qty": "x"}', "qty")).toHaveLength(2);
  });
  it("does not stumble over what is no JSON", () => {
    expect(marked('{"qty": "x\n "sku": 1', "qty", "sku")).toEqual(['"qty": "x', '"sku": 1']);
    expect(marked("\ufffd\u0000{", "qty")).toEqual([]);
    expect(marked("", "qty")).toEqual([]);
  });
  it("marks nothing for the record as a whole", () => {
    expect(marksFor('{"": 1, "a": 2}', [{ pointer: "#/", code: "fault", detail: "" }])).toEqual([]);
  });
});

it("names what is absent, once", () => {
  const errors = [wrong("a", "required"), wrong("b", "required"), wrong("b", "range"), wrong("")];
  expect(absentFields('{"a": null, "x": {"b": 1}}', errors)).toEqual(["b"]);
});

it("sets what is expected against what came", () => {
  const column = (given: Partial<Column>) => ({ type: "number", description: "", ...given }) as Column;
  const columns = [
    column({ name: "n", minimum: "0", maximum: "9000" }),
    column({ name: "u", minimum: "-1000000000000", maximum: "1000000000000" }),
    column({ name: "s", type: "text", choices: ["a", "b"] }),
    column({ name: "r", type: "text", references: "orders" }),
  ];
  const errors = [
    wrong("n", "range"),
    wrong("s", "choice"),
    wrong("r", "unknown_reference"),
    wrong("gone", "odd_code"),
    wrong("u", "type"),
    wrong("u", "range"),
  ];
  expect(verdicts('{"n": -1.50, "s": "é", "n": 12}', errors, columns, "en")).toEqual([
    {
      field: "n",
      reason: "Out of range",
      message: "wrong",
      expected: "a number from 0 to 9,000",
      received: "12",
    },
    { field: "s", reason: "Value not allowed", message: "wrong", expected: "one of a, b", received: '"é"' },
    {
      field: "r",
      reason: "Unknown reference",
      message: "wrong",
      expected: "the id of a record in orders",
      received: undefined,
    },
    { field: "gone", reason: "Odd code", message: "wrong", expected: undefined, received: undefined },
    { field: "u", reason: "Wrong type", message: "wrong", expected: "a number", received: undefined },
    {
      field: "u",
      reason: "Out of range",
      message: "wrong",
      expected: "a number from -1,000,000,000,000 to 1,000,000,000,000",
      received: undefined,
    },
  ]);
});
