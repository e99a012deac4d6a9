import { expect, it } from "vitest";
import { columnName, emptyColumn, toDraft, toRules } from "./column-form";
import { rulesInWords } from "./rules";

it("makes names from words", () => {
  expect(columnName("Decided on")).toBe("decided_on");
  expect(columnName("  2nd Größe (kg)!")).toBe("nd_grosse_kg");
  expect(columnName("決定")).toBe("");
});

it("sends only the rules that fit the type", () => {
  const draft = { ...emptyColumn, name: "a", choices: "open\n\n done ", minimum: "1", default: "open" };
  expect(toRules(draft)).toEqual({ type: "text", choices: ["open", "done"], default: "open" });
  expect(toRules({ ...draft, kind: "number", default: "" })).toEqual({ type: "number", minimum: "1" });
  expect(toRules({ ...draft, kind: "reference", references: "suppliers" })).toEqual({
    type: "text",
    references: "suppliers",
  });
});

it("keeps what the form has no field for", () => {
  const column = { name: "currency", type: "text" as const, format: "currency", max_length: 3 };
  expect(toRules(toDraft(column), column)).toEqual({ type: "text", format: "currency", max_length: 3 });
});

it("says a column's rules in words", () => {
  expect(rulesInWords({ name: "a", type: "number", required: true, minimum: "0" })).toBe(
    "Number · required · at least 0",
  );
  expect(rulesInWords({ name: "a", type: "text", references: "suppliers" })).toBe("A record of suppliers");
});
