import { message } from "@/lib/message";

// Messages of components that any page may load on demand.
export const results = message("{count, plural, one {# result} other {# results}}");
export const linesUnchanged = message("{count, plural, one {# unchanged line} other {# unchanged lines}}");
export const doneOf = message<"done" | "total">("{done} of {total}");
