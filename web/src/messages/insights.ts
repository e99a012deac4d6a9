import { message } from "@/lib/message";

export const unmatched = message("{count, plural, one {# line matches} other {# lines match}} no article");
export const unconverted = message<"count" | "currencies">(
  "{count, plural, one {# line} other {# lines}} in {currencies} without a rate, in no amount",
);
export const onWay = message(
  "{count, plural, one {# open purchase order line has} other {# open purchase order lines have}} no expected day and are left out.",
);
export const daysOut = message("{count, plural, one {# day} other {# days}} out of stock");
export const daysLate = message("{count, plural, one {# day} other {# days}} late");
export const daysAhead = message("in {count, plural, one {# day} other {# days}}");
