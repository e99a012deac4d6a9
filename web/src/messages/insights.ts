import { message } from "@/lib/message";

export const leftOut = message(
  "{count, plural, one {# implausible line is in no figure} other {# implausible lines are in no figure}}",
);
export const unmatched = message("{count, plural, one {# line matches} other {# lines match}} no article");
export const unconverted = message<"count" | "currencies">(
  "{count, plural, one {# line} other {# lines}} in {currencies} without a rate, in no amount",
);
export const daysLate = message("{count, plural, one {# day} other {# days}} late");
export const daysAhead = message("in {count, plural, one {# day} other {# days}}");
