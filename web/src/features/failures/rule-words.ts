import type { Fix } from "@/api/types.gen";
import type { FailureFilter } from "./filter";
import { written } from "./fixes";

/** Says what a rule does to a record, as a sentence without its end. */
export function ruleWords(fix: Fix): string {
  switch (fix.do) {
    case "set":
      return fix.missing
        ? `A new record without ${fix.field} gets ${shown(fix.value)}`
        : `${fix.field} becomes ${shown(fix.value)} in every record`;
    case "rename":
      return `${fix.field} is renamed to ${fix.to}`;
    case "drop":
      return `${fix.field} is dropped from every record`;
    case "map":
      return `${shown(fix.from)} becomes ${shown(fix.value)} in ${fix.field}`;
    case "number":
      return `Texts in ${fix.field} are read as numbers written ${fix.form && written[fix.form]}`;
    case "date":
      return `Texts in ${fix.field} are read as days written ${fix.form && written[fix.form]}`;
  }
}

const longest = 80;

/** A value as JSON, shortened. */
function shown(value: unknown): string {
  const json = JSON.stringify(value) ?? "null";
  return json.length > longest ? `${json.slice(0, longest)}…` : json;
}

/** A fix as it is kept: what the group of failed imports lacked is given to new records that lack it. */
export function asRule(fix: Fix, filter: FailureFilter): Fix {
  return fix.do === "set" && filter.code === "required" && filter.field === fix.field
    ? { ...fix, missing: true }
    : fix;
}
