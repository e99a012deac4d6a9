import { message } from "@/lib/message";

const lines = "{lines, plural, one {# line} other {# lines}}";

// What a change does to the lines to order and to their cost. A cost is one amount or several.
export const adds = message<"lines">(`adds ${lines} to what to order`);
export const addsCost = message<"cost">("adds {cost} to what to order");
export const addsBoth = message<"lines" | "cost">(`adds ${lines} and {cost} to what to order`);
export const takes = message<"lines">(`takes ${lines} from what to order`);
export const takesCost = message<"cost">("takes {cost} from what to order");
export const takesBoth = message<"lines" | "cost">(`takes ${lines} and {cost} from what to order`);
export const keepsAll = message<never>("leaves the number of lines to order and their cost as they are");
/** The second of two clauses: the first one names what to order. */
export const withMoreCost = message<"first" | "cost">("{first} and adds {cost} to its cost");
export const withLessCost = message<"first" | "cost">("{first} and takes {cost} from its cost");

export const becomeCritical = message(
  "{count, plural, one {# article becomes} other {# articles become}} critical",
);
export const stopCritical = message(
  "{count, plural, one {# article stops} other {# articles stop}} being critical",
);
export const otherSuggestions = message(
  "the {count, plural, one {suggestion for # article changes} other {suggestions for # articles change}}",
);

export const thisChange = message<"does">("This change {does}.");
export const noEffect = message<never>("This change has no effect on what to order today.");
export const noQueue = message<never>(
  "What to order has not been computed yet. There is nothing to compare with.",
);

export const moreIn = message<"count" | "group">("{group}: {count} more");
export const fewerIn = message<"count" | "group">("{group}: {count} fewer");

export const partly = message<"done" | "total">(
  "Only {done} of {total} articles could be computed in time. The figures are about these alone.",
);
export const wholly = message(
  "Computed for {count, plural, one {the only article} other {all # articles}} that the change applies to.",
);
export const largestOf = message<"shown" | "count">("The {shown} largest changes of {count}");
