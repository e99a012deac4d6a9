import type { Fix } from "@/api/types.gen";
import { type FailureFilter, readFilter } from "./filter";

/** A fix that is being edited; its values are the typed texts, so that 1.50 stays 1.50. */
export interface DraftFix {
  do: Fix["do"];
  field: string;
  to: string;
  from: string;
  value: string;
  form: Form | "";
}

/** How numbers or days are written. */
export type Form = NonNullable<Fix["form"]>;

/** The search parameters of "Fix and retry". */
export interface RetrySearch extends FailureFilter {
  fixes?: DraftFix[];
}

export function readRetrySearch(search: Record<string, unknown>): RetrySearch {
  const fixes = readFixes(search.fixes);
  return { ...readFilter(search), ...(fixes.length > 0 && { fixes }) };
}

/** Reads fixes from an address; drops invalid ones. */
function readFixes(value: unknown): DraftFix[] {
  if (!Array.isArray(value)) return [];
  const text = (one: unknown) => (typeof one === "string" ? one.slice(0, 10_000) : "");
  return value
    .filter((one): one is Record<string, unknown> => typeof one === "object" && one !== null)
    .filter((one) => kinds.includes(one.do as Fix["do"]))
    .slice(0, maxFixes)
    .map((one) => ({
      do: one.do as Fix["do"],
      field: text(one.field),
      to: text(one.to),
      from: text(one.from),
      value: text(one.value),
      form: forms.find((form) => form === one.form) ?? "",
    }));
}

const kinds: Fix["do"][] = ["set", "rename", "drop", "map", "number", "date"];
const forms: Form[] = ["decimal_point", "decimal_comma", "day_first", "month_first", "year_first"];
export const maxFixes = 50;
