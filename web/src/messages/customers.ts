import { message } from "@/lib/message";

export const ordersOf = message("{count, plural, one {# order} other {# orders}}");
export const everyDays = message<"days">("every {days} days");
export const returnedOf = message<"units" | "orders">(
  "of {units} sold in {orders, plural, one {the only order} other {the last # orders}}",
);
export const ofLast = message(
  "{count, plural, one {Of the only order} other {Of the last # orders}}, by how many had it.",
);
export const unconvertedOrders = message(
  "{count, plural, one {# order is in a currency without a rate, and in no amount.} other {# orders are in currencies without a rate, and in no amount.}}",
);
