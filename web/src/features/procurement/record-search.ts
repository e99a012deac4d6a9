import { readPages } from "@/lib/pages";

export const groupings = ["buyer", "supplier", "month"] as const;

export type Grouping = (typeof groupings)[number];

/** The days on which suggestions were first made; absent: the last 12 months. */
export interface Span {
  from?: string | undefined;
  to?: string | undefined;
}

/** The state of the track record, as the address holds it. */
export interface RecordSearch extends Span {
  /** Absent: by buyer. */
  by?: Grouping | undefined;
}

/** What cases can be listed by: what happened, and then what was decided. */
export const outcomes = [
  "prevented",
  "empty",
  "overbuy",
  "not_known",
  "as_suggested",
  "less",
  "more",
  "turned_down",
  "put_off",
  "undecided",
  "taken_back",
] as const;

export type Outcome = (typeof outcomes)[number];

/** The state of the list of cases, as the address holds it. */
export interface CaseSearch extends Span {
  buyer?: string | undefined;
  supplier?: string | undefined;
  outcome?: Outcome | undefined;
  pages?: number | undefined;
}

const day = /^\d{4}-\d\d-\d\d$/;
const group = /^[\w:-]{1,100}$/;

function readSpan({ from, to }: Record<string, unknown>): Span {
  return {
    ...(typeof from === "string" && day.test(from) && { from }),
    ...(typeof to === "string" && day.test(to) && { to }),
  };
}

/** Reads search parameters; drops values that are not valid. */
export function readRecordSearch(search: Record<string, unknown>): RecordSearch {
  const { by } = search;
  return { ...readSpan(search), ...((by === "supplier" || by === "month") && { by }) };
}

export function readCaseSearch(search: Record<string, unknown>): CaseSearch {
  const { buyer, supplier, outcome, pages } = search;
  return {
    ...readSpan(search),
    ...(typeof buyer === "string" && group.test(buyer) && { buyer }),
    ...(typeof supplier === "string" && group.test(supplier) && { supplier }),
    ...(outcomes.includes(outcome as Outcome) && { outcome: outcome as Outcome }),
    ...readPages(pages),
  };
}

/** The cases of a group: of a buyer, of a supplier, or of a month as far as it is within the span. */
export function casesOf(by: Grouping, group: string, { from, to }: Span): CaseSearch {
  if (by !== "month") return { from, to, [by]: group };
  const [first, last] = [`${group}-01`, lastOf(group)];
  return { from: from && from > first ? from : first, to: to && to < last ? to : last };
}

/** The last day of a month such as 2027-01. */
function lastOf(month: string): string {
  const [year = 0, number = 0] = month.split("-").map(Number);
  return new Date(Date.UTC(year, number, 0)).toISOString().slice(0, 10);
}
