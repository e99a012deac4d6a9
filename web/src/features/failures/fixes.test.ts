import { describe, expect, it } from "vitest";
import type { Column, Sample } from "@/api/types.gen";
import { asJson, draftFix, fixProblem, fixWords, knownFields, likelyFixes, toFix } from "./fixes";
import { readRetrySearch } from "./retry-search";

const column = (name: string, given: Partial<Column> = {}) =>
  ({ name, type: "text", description: "", accepted: true, required: false, ...given }) as Column;
const sample = (after: object, ...errors: [field: string, code: string][]): Sample => ({
  id: "",
  key_id: "",
  before: JSON.stringify(after),
  after: JSON.stringify(after),
  changed: false,
  status: errors.length ? 422 : 200,
  errors: errors.map(([field, code]) => ({ pointer: `#/${field}`, code, detail: "" })),
});

describe("likelyFixes", () => {
  const columns = [
    column("external_id", { required: true }),
    column("name", { required: true }),
    column("quantity", { type: "number", required: true }),
    column("unit_price", { type: "number", required: true }),
    column("status", { choices: ["open", "completed"] }),
    column("supplier_id"),
  ];
  it("pairs missing columns with the names that are most like them", () => {
    const till = { price: "9.50", external_id: "1", qty: 2, title: "Tea" };
    const offers = likelyFixes(
      [sample(till, ["name", "required"], ["quantity", "required"], ["unit_price", "required"])],
      columns,
    );
    expect(offers.map(({ do: kind, field, to }) => [kind, field, to])).toEqual(
      expect.arrayContaining([
        ["rename", "qty", "quantity"],
        ["rename", "price", "unit_price"],
        ["rename", "title", "name"],
      ]),
    );
    expect(offers).toHaveLength(3);
  });
  it("offers each wrong value once", () => {
    const wrong = ["shipped", "paid", "shipped"].map((status) => sample({ status }, ["status", "choice"]));
    expect(likelyFixes(wrong, columns).map((fix) => [fix.do, fix.from])).toEqual([
      ["map", '"shipped"'],
      ["map", '"paid"'],
    ]);
  });
  it("fills in a new value only if it is the same word", () => {
    const wrong = ["returned", "OPEN"].map((status) => sample({ status }, ["status", "choice"]));
    expect(likelyFixes(wrong, columns).map((fix) => [fix.from, fix.value])).toEqual([
      ['"returned"', ""],
      ['"OPEN"', "open"],
    ]);
  });
  it("offers to drop what need not be there", () => {
    expect(
      likelyFixes([sample({ supplier_id: "x" }, ["supplier_id", "unknown_reference"])], columns),
    ).toEqual([draftFix({ do: "drop", field: "supplier_id" })]);
    expect(likelyFixes([sample({ quantity: "x" }, ["quantity", "type"])], columns)).toEqual([]);
    expect(likelyFixes([sample({ quantity: "x" }, ["quantity", "type"])], [])).toEqual([]);
  });
  it("knows the payloads' own names and the table's", () => {
    expect(
      knownFields([sample({ qty: 1, name: "x" })], columns)
        .map((field) => field.value)
        .slice(0, 2),
    ).toEqual(["qty", "external_id"]);
  });
});

describe("a fix", () => {
  it("takes text for text and the rest for JSON", () => {
    expect(["completed", '"12"', "12", " true ", "null", "[1", ""].map(asJson)).toEqual([
      '"completed"',
      '"12"',
      "12",
      "true",
      "null",
      '"[1"',
      '""',
    ]);
  });
  it.each([
    [
      draftFix({ do: "set", field: "a", value: "x y" }),
      { do: "set", field: "a", value: "x y" },
      'set a to "x y"',
    ],
    [
      draftFix({ do: "rename", field: " a ", to: "b" }),
      { do: "rename", field: "a", to: "b" },
      "rename a to b",
    ],
    [draftFix({ do: "drop", field: "a", to: "b" }), { do: "drop", field: "a" }, "drop a"],
    [
      draftFix({ do: "map", field: "a", from: '"x"', value: "null" }),
      { do: "map", field: "a", from: "x", value: null },
      'in a, replace "x" with null',
    ],
  ])("%j", (draft, want, words) => {
    expect(fixProblem(draft)).toBeUndefined();
    expect(JSON.parse(JSON.stringify(toFix(draft)))).toEqual(want);
    expect(fixWords(toFix(draft))).toBe(words);
  });
  it("says what it lacks", () => {
    for (const draft of [
      draftFix(),
      draftFix({ do: "rename", field: "a" }),
      draftFix({ do: "rename", field: "a", to: "a" }),
      draftFix({ do: "map", field: "a", value: "x" }),
      draftFix({ do: "set", field: "a" }),
    ])
      expect(fixProblem(draft)).toBeDefined();
  });
  it("survives the address", () => {
    const fixes = [draftFix({ do: "rename", field: "qty", to: "quantity" })];
    expect(readRetrySearch({ table: "orders", fixes })).toEqual({ table: "orders", fixes });
    expect(readRetrySearch({ fixes: [{ do: "explode", field: "x" }, null, 7] })).toEqual({});
    expect(readRetrySearch({ fixes: "x" })).toEqual({});
  });
});
