import { message } from "@/lib/message";

// Messages of the lists of failed imports.
export const retried = message<"done" | "total">("{done} of {total} retried");
export const stored = message("{count} stored");
export const storedAndNot = message<"stored" | "refused">("{stored} stored, {refused} not");
export const storedOf = message<"done" | "total">("{done} of {total} stored");
export const reopened = message(
  "{count, plural, =1 {It is} one {# import is} other {# imports are}} open again",
);
