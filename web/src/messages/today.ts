import { message } from "@/lib/message";

const orders = "{orders, plural, one {# order} other {# orders}}";
const atLeast = "{cut, plural, =1 {at least } other {}}";

export const ordersAndLines = message<"orders" | "lines">(
  `${orders}, {lines, plural, one {# line} other {# lines}}`,
);
export const worthAndSince = message<"worth" | "since">("{worth}, the oldest submitted {since}");
export const articles = message<"count" | "critical">(
  "{count, plural, one {# article} other {# articles}}{critical, plural, =0 {} other {, # critical}}",
);
export const refused = message<"count">("{count, plural, one {# record refused} other {# records refused}}");
export const missing = message<"cut" | "orders" | "worth">(
  `${atLeast}{orders, plural, one {# order worth {worth} is} other {# orders worth {worth} are}} missing from the figures`,
);
export const implausibleOrders = message(
  "{count, plural, one {# order with an implausible total is} other {# orders with an implausible total are}} not in the amount",
);
export const usually = message<"usual">("usually {usual}");
export const weekdays = message(
  "Usual is the mean of the same weekday in {count, plural, one {the week} other {the # weeks}} before.",
);
export const unconverted = message(
  "{count, plural, one {# line has no exchange rate and is} other {# lines have no exchange rate and are}} not in the amount.",
);
export const runs = message<"cut" | "runs" | "drafted" | "submitted" | "refused">(
  `${atLeast}{runs, plural, one {# run} other {# runs}} since yesterday: {drafted, plural, one {# line} other {# lines}} drafted, {submitted} submitted, {refused} refused.`,
);
