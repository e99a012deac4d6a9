import { message } from "@/lib/message";

export const waits = message<"order">("{order} waits for your approval");
export const sentBack = message<"who" | "order">("{who} sent {order} back to you");
export const mentioned = message<"who" | "order">("{who} mentioned you in {order}");
export const submitted = message<"who" | "lines">(
  "{lines, plural, one {# line} other {# lines}}, submitted by {who}",
);
export const linesBack = message<"lines">("{lines, plural, one {# line} other {# lines}}");
