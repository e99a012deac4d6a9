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
export const takeSuggestions = message("Use what is suggested ({count})");
export const rowsUnsaved = message("{count, plural, one {# row is} other {# rows are}} not saved");
export const rowsFilled = message("{count, plural, one {# row} other {# rows}} filled from the sheet");
export const rowsLeft = message("{count, plural, one {# row was} other {# rows were}} not taken");
export const otherLines = message(
  "{count, plural, one {# line} other {# lines}} of the order, but not in this list",
);
