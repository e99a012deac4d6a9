import { message } from "@/lib/message";

/** `first` is 1 if there are more rows than were saved. */
export const rowsSaved = message<"first" | "count">(
  "{first, plural, =1 {The first } other {}}{count, plural, one {# row} other {# rows}} saved",
);
export const asCsv = message("{count} as CSV");
export const selected = message("{count} selected");
export const tryAgainIn = message(
  "Too many tries. Try again in {count, plural, =1 {a minute} one {# minute} other {# minutes}}.",
);
export const unread = message("Alerts, {count} unread");
/** Sums leave out what cannot be true, and say so. */
export const leftOut = message(
  "{count, plural, one {# line with an implausible amount is left out} other {# lines with an implausible amount are left out}}",
);
/** A date that cannot be true is not known. */
export const undated = message(
  "{count, plural, one {# ordered line with an implausible date} other {# ordered lines with implausible dates}}",
);
export const flagged = message("{count} to look at");
export const moreInbox = message("More, {count} unseen in the inbox");
