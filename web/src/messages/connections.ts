import { message } from "@/lib/message";

export const openLines = message("{count, plural, one {# open line} other {# open lines}}");
export const missingOf = message("{count, plural, =0 {all mapped} other {# missing}}");
export const acceptedOf = message(
  "{count, plural, =0 {Nothing more was sure} one {# counterpart accepted} other {# counterparts accepted}}",
);
export const lookedAt = message<"looked" | "open" | "there">(
  "Looked at {looked} of {open, plural, one {# open order} other {# open orders}} here and at {there, plural, one {# order} other {# orders}} there.",
);
export const missingMap = message(
  "{count, plural, one {# supplier of open orders has no counterpart yet.} other {# suppliers of open orders have no counterpart yet.}}",
);
