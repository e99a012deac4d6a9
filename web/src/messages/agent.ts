import { message } from "@/lib/message";

const lines = "{count, plural, one {# line} other {# lines}}";

export const mayDraft = message(
  `{count, plural, =0 {It drafts nothing: the playbook allows no lines.} one {It drafts at most # line} other {It drafts at most # lines}}`,
);
export const mayUndo = message(
  `{count, plural, one {# line is} other {# lines are}} cancelled, and {count, plural, one {its article is} other {their articles are}} suggested again at once.`,
);
/** What came of undoing a run. */
export const cancelled = message(`${lines} cancelled`);
export const cancelledAndKept = message<"count" | "kept">(`${lines} cancelled, {kept} kept`);
export const decided = message<"done" | "count">(`{done} of ${lines} done`);
