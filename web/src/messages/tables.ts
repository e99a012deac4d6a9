import { message } from "@/lib/message";

export const rows = message<"count" | "plus">("{count, plural, one {#{plus} row} other {#{plus} rows}}");
export const loaded = message(", {count} of them loaded");
export const columns = message("{count, plural, one {# column} other {# columns}}");
export const delivered = message(
  "Delivered {count, plural, =1 {once} one {# time} other {# times}} without a change, last",
);
export const moreFields = message("{count, plural, one {# more field} other {# more fields}}");
