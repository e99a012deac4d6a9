import { message } from "@/lib/message";

const lines = "{count, plural, one {# line} other {# lines}}";
/** The name of one article, or how many there are. */
const some = "{count, plural, one {# article} other {# articles} =1 {{name}}}";

export const linesOf = message(lines);
export const makeDrafts = message(`Make drafts from ${lines}`);
export const drafted = message<"count" | "orders">(
  `${lines} drafted in {orders, plural, one {# order} other {# orders}}`,
);
export const notClear = message("{count, plural, one {# line needs} other {# lines need}} a quantity");
export const lessThanSuggested = message(
  "{count, plural, one {# less than suggested. Suggest it again on} other {# less than suggested. Suggest them again on}}",
);
export const putOff = message<"count" | "name">(`Put off ${some}`);
export const putOffUntil = message<"count" | "name" | "day">(`${some} put off until {day}`);
export const dismiss = message<"count" | "name">(`Dismiss ${some}`);
export const dismissed = message<"count" | "name">(`Dismissed ${some}`);
export const restored = message<"count" | "name">(`${some} back in the queue`);
const spent = "{ordered} ordered and {drafted} drafted";
export const monthSpent = message<"ordered" | "drafted">(`${spent} this month`);
export const monthOfBudget = message<"ordered" | "drafted" | "budget">(`${spent} of {budget} this month`);
export const budgetLeft = message<"left">("{left} left");
export const notCounted = message<"count" | "currency">(
  "{count, plural, one {# line without a price in {currency} is} other {# lines without a price in {currency} are}} not counted",
);
export const incomplete = message(
  "Figures incomplete: {count, plural, one {# failed import} other {# failed imports}}",
);
export const implausible = message(
  "Figures incomplete: {count, plural, one {# implausible sale} other {# implausible sales}} left out",
);
/** `more` is 1 if there are others. */
export const uncomputed = message<"count" | "more">(
  "{more, plural, =1 {More than } other {}}{count, plural, one {# article is} other {# articles are}} not computed, and so not suggested",
);
export const waiting = message(
  "Figures incomplete: {count, plural, one {# order line} other {# order lines}} without order",
);
export const unmatched = message(
  "Figures incomplete: {count, plural, one {# order line} other {# order lines}} without article",
);
