import { message } from "@/lib/message";

export const ordersOf = message("{count, plural, one {# order} other {# orders}}");
export const linesOpen = message("{count, plural, one {# line} other {# lines}}");
export const linesLate = message("{count, plural, one {# line late} other {# lines late}}");
export const linesDrafted = message("{count, plural, one {# line in drafts} other {# lines in drafts}}");
export const articlesOf = message("{count, plural, one {# article} other {# articles}}");
export const criticalOf = message("{count} critical");
export const deliveriesOf = message("{count, plural, one {# delivery} other {# deliveries}}");
export const moreLines = message("{count, plural, one {and # more line} other {and # more lines}}");
export const unpricedLines = message(
  "{count, plural, one {# line without a price} other {# lines without a price}}",
);
export const daysLateOf = message("{count, plural, one {# day late} other {# days late}}");
export const lateBy = message<"days">("late ones by {days} days");
export const daysEarlyOf = message("{count, plural, one {# day early} other {# days early}}");
export const livingOf = message<"live" | "lines">("{live} of {lines, plural, one {# line} other {# lines}}");
