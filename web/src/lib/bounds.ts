import { formatNumber } from "./format";

/** The bounds of a number column that names none. */
export const usualLeast = "-1000000000000";
export const usualMost = "1000000000000";

/** A column's bound with its digits grouped. One with decimals stays as it is, because none may be rounded. */
export const writeBound = (bound: string, locale: string) =>
  /^-?\d+$/.test(bound) ? formatNumber(bound, locale) : bound;
