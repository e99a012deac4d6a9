import { message } from "@/lib/message";

// Messages about one failed import, and about bulk retries.

const some = "{count, plural, one {# import} other {# imports}}";

export const imports = message(some);
export const importsRetry = message(`Retry ${some}`);
export const bulkOf = message(`Bulk retry of ${some}`);
export const dismissal = message(
  "{count, plural, one {It leaves} other {They leave}} the open list. You can reopen {count, plural, one {it} other {them}} later.",
);
export const attempts = message(
  "{count, plural, =1 {One attempt} one {# attempt} other {# attempts, the latest first}}",
);
export const errorsTitle = message(
  "{count, plural, =0 {What was wrong} one {What was wrong} other {# things were wrong}}",
);
export const leftOut = message(
  "Ignored: the table does not accept {count, plural, one {it} other {them}}, or the row keeps its value:",
);
export const came = message("{count, plural, =1 {once} one {# time} other {# times}}");
export const wouldBeStored = message<"good" | "count" | "changed">(
  "{good} of {count, plural, one {# {changed}payload} other {# {changed}payloads}} would be stored",
);
export const dryRun = message<"which">("A dry run of {which}; nothing was stored.");
export const newestOf = message<"some" | "all">("the newest {some} of {all}");
export const failuresOpen = message("{count, plural, one {# failed import} other {# failed imports}} open");
export const atMostCharacters = message("at most {count, plural, one {# character} other {# characters}}");
export const valuesLooked = message<"some" | "all">(
  "Counted in the newest {some} of {all}. A value that becomes nothing else is sent again as it was.",
);
export const valuesRest = message(
  "Not listed, because too long or too rare: {count, plural, one {the value of # payload} other {the values of # payloads}}.",
);
export const readsSome = message<"some" | "all" | "from" | "to">("{some} of {all}; {from} becomes {to}");
