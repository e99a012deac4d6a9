import { message } from "@/lib/message";

const orders = "{count, plural, one {# order} other {# orders}}";

export const ordersRetried = message(`${orders} will be compared at once`);
export const retryAll = message("{count, plural, one {Retry # order} other {Retry # orders}}");
export const failedTimes = message("{count, plural, one {Failed once} other {Failed # times in a row}}");
export const conflictsOpen = message(
  "{count, plural, one {# conflict} other {# conflicts}} with a connected system to decide",
);
export const conflictsDecided = message<"count" | "system">(
  "{count, plural, one {# conflict} other {# conflicts}} decided: the order is compared with {system} now",
);
export const comparedAll = message<"orders" | "differ">(
  "{orders, plural, one {# order} other {# orders}}, {differ} of them different",
);
