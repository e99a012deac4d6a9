import { message } from "@/lib/message";

export const rows = message<"count" | "plus">("{count, plural, one {#{plus} row} other {#{plus} rows}}");
export const loaded = message(", {count} of them loaded");
export const columns = message("{count, plural, one {# column} other {# columns}}");
export const delivered = message(
  "Delivered {count, plural, =1 {once} one {# time} other {# times}} without a change, last",
);
export const moreFields = message("{count, plural, one {# more field} other {# more fields}}");

// Fields that arrive and are not stored.
export const unknownFields = message(
  "{count, plural, one {# field arrives and is} other {# fields arrive and are}} not stored:",
);
export const moreUnknown = message(" and {count} more");
export const cameIn = message("Came in {count, plural, one {# record} other {# records}}, first");
export const valuesKept = message("{count, plural, one {# value is} other {# values are}} kept");
export const otherFields = message(
  "{count, plural, one {# more value} other {# more values}} came in fields that are not listed: their names are too long or not readable, or there are too many.",
);
export const filledIn = message("{count, plural, one {# record} other {# records}} filled");
export const refusedValues = message("{count, plural, one {# value does} other {# values do}} not fit");
export const failedWaiting = message(
  "{count, plural, one {# open failed import brings} other {# open failed imports bring}} it when retried",
);

// What a rule would have refused.
export const refusedOf = message<"refused" | "count" | "source">(
  "Would have refused {refused} of the last {count, plural, one {# record} other {# records}} of {source}.",
);
export const rowsBreak = message(
  "{count, plural, one {# stored row breaks} other {# stored rows break}} the rule. What is stored stays.",
);
export const rowsMissing = message(
  "{count, plural, one {# stored row has} other {# stored rows have}} no value. What is stored stays, and can still be changed.",
);
export const rowsLooked = message<"looked" | "count">(
  "The newest {looked} of {count, plural, one {# row} other {# rows}} were looked at.",
);
export const allFine = message<"rows" | "records">(
  "None of the {rows, plural, one {# stored row} other {# stored rows}} and the last {records, plural, one {# record} other {# records}} would have been refused.",
);
export const rowsConvert = message(
  "{count, plural, one {# stored row is} other {# stored rows are}} converted.",
);
export const rowsEmptied = message(
  "{count, plural, one {# stored row} other {# stored rows}} cannot be converted: the value will be emptied, and the history keeps it.",
);
