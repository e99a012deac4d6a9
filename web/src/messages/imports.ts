import { message } from "@/lib/message";

const some = "{count, plural, one {# record} other {# records}}";

export const recordsFor = message(`${some} for`);
export const recordsImport = message(`Import ${some}`);
export const recordsRefused = message(`${some} refused`);
export const allStored = message(`All ${some} stored`);
export const storedOf = message<"done" | "count">(`{done} of ${some} stored`);
export const unreadable = message(
  "{count} of them could not be read as records and were not sent; they are only in the download.",
);
export const wouldBeStored = message(
  "The first {count, plural, =1 {record} one {# record} other {# records}} would be stored.",
);
export const wouldBeRefused = message<"refused" | "count">(
  `{refused} of the first ${some} would be refused.`,
);
export const someWarned = message("{count, plural, one {# has a warning.} other {# have warnings.}}");
export const recordsWarned = message(
  "Stored, and probably not what is meant: {count, plural, one {# warning} other {# warnings}}",
);
export const perSecond = message("{count, plural, one {# record/s} other {# records/s}}");
export const secondsLeft = message("about {count, plural, one {# second} other {# seconds}} left");
export const minutesLeft = message("about {count, plural, one {# minute} other {# minutes}} left");
export const notWritten = message<"count" | "text" | "line">(
  "Not written so, and sent as it is: {text} in line {line}{count, plural, one {} other {, one of # cells}}.",
);
export const questionsOpen = message(
  "{count, plural, one {# column needs} other {# columns need}} an answer first",
);
