import { message } from "@/lib/message";

const articles = "{count, plural, one {# article} other {# articles}}";

/** How many articles of a supplier are to be ordered, and how many of them are critical. */
export const toOrderNow = message<"count" | "critical">(
  `${articles} to order{critical, plural, =0 {} other {, # critical}}`,
);
export const days = message("{count, plural, one {# day} other {# days}}");
export const openLines = message("{count, plural, one {# line open} other {# lines open}}");
export const draftLines = message(
  "{count, plural, one {# line not ordered yet} other {# lines not ordered yet}}",
);
