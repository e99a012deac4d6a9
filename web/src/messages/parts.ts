import { message } from "@/lib/message";

// Of what is loaded when it is first needed, on whatever page.
export const results = message("{count, plural, one {# result} other {# results}}");
export const linesUnchanged = message("{count, plural, one {# unchanged line} other {# unchanged lines}}");
export const doneOf = message<"done" | "total">("{done} of {total}");
