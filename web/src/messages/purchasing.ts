import { message } from "@/lib/message";

const some = "{count, plural, one {# line} other {# lines}}";

export const lines = message(some);
export const cancelledLines = message("{count, plural, one {# cancelled line} other {# cancelled lines}}");
export const linesApprove = message(`Approve ${some}`);
export const linesApproved = message(`${some} approved and ordered`);
export const linesOfOrders = message<"count" | "order">(
  "{count, plural, =1 {Of {order}.} one {Of # order.} other {Of # orders, all or none.}} Approved lines are ordered.",
);
export const linesSelected = message(`${some} selected`);
export const linesDraft = message(`Draft ${some}`);
export const linesDrafted = message<"count" | "order">(`${some} drafted in {order}`);
export const linesToBook = message(`Book ${some}`);
export const linesReceived = message(`Receipt of ${some} booked`);
/** Actions on lines: the button, the dialog's title and the result. */
export const linesTo = message<"count" | "what">(`{what} ${some}`);
export const linesAbout = message<"count" | "what">(`{what}: ${some}`);
export const linesDone = message<"count" | "what">(`${some} {what}`);
export const linesShown = message<"shown" | "count">(
  "The first {shown} of {count, plural, one {# line} other {# lines}}. Actions on the order apply to these lines.",
);
export const linesMoved = message<"count" | "day">(`moved ${some} to {day}`);
export const openInLines = message<"open" | "count">(`{open} open in ${some}`);
export const severalSuppliers = message(
  "From {count, plural, one {# supplier} other {# suppliers}}: an external system put their lines into one order",
);
/** What a split does to an approval; `count` lines wait. */
export const splitAgain = message(
  "{count, plural, =0 {} one {. Less of it was approved, so it waits for approval} other {. Less was approved, so both lines wait for approval}}",
);
export const linesExpected = message<"count" | "day">(`${some} expected on {day}`);
export const daysLate = message("{count, plural, one {# day late} other {# days late}}");
export const daysAhead = message("{count, plural, =0 {today} =1 {tomorrow} other {in # days}}");
export const allOrders = message("All {count, plural, one {# order} other {# orders}}");
export const cutGroups = message<"names">("Only the first 2,000 lines are shown of: {names}.");
export const more = message("and {count} more");
export const coverNow = message("lasts {count, plural, one {# day} other {# days}}");
export const coverWith = message("with this line {count}");
export const suggestedMore = message<"by">("{by} more than suggested");
export const suggestedLess = message<"by">("{by} fewer than suggested");
export const changedSinceSent = message(`Changed since it was sent: ${some}`);
export const unapprovedOf = message<"count" | "all">(
  "{count} of {all, plural, one {# line is} other {# lines are}} not approved.",
);
export const outsideOf = message<"count" | "all">(
  "{count} of {all, plural, one {# line was} other {# lines were}} ordered outside: nobody approved them here.",
);
export const linesDiffer = message(`Confirmed, ${some} not as ordered`);
export const linesConfirmed = message(`kept the supplier's confirmation of ${some}`);
export const daysApart = message<"count" | "way">("{count, plural, one {# day} other {# days}} {way}");
export const toDecide = message(`To decide: ${some}`);
