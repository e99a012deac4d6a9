import { message } from "@/lib/message";

export const masterKeys = message(
  "{count, plural, =1 {One Master Import Key writes} one {# Master Import Key writes} other {# Master Import Keys write}} to this table too.",
);
export const openFailures = message<"count" | "title">(
  "{count, plural, one {# open failure} other {# open failures}} of {title}",
);
export const longest = message("at most {count, plural, one {# character} other {# characters}}");
export const filled = message<"rows" | "count">(
  "{rows, plural, one {# row} other {# rows}} in {count, plural, =1 {one table} one {# table} other {# tables}}",
);
export const failing = message(", {count, plural, one {# open failure} other {# open failures}}");
