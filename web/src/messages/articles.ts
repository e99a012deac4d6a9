import { message } from "@/lib/message";

export const daysOf = message("{count, plural, one {# day} other {# days}}");
export const receivedSince = message<"quantity">("{quantity} received since");
export const overdueOf = message<"quantity">("{quantity} overdue");
export const bought = message<"orders" | "customers" | "units">(
  "{units} sold in {orders, plural, one {# order} other {# orders}} of {customers, plural, one {# customer} other {# customers}}",
);
export const emptyDays = message("{count, plural, one {# day} other {# days}} without stock");
export const showAll = message("Show all {count}");
export const movedLines = message("{count, plural, one {# order line} other {# order lines}}");
