import { describe, expect, it } from "vitest";
import { begin, contested, type EditEvent, type EditState, isDirty, rebase, step } from "./edit-state";
import { ApiError } from "./problem";

interface Seen {
  value: string;
  version: number;
}
type State = EditState<string, Seen>;

const seen = { value: "10", version: 1 };
const theirs = { seen: { value: "500", version: 2 }, by: "Ben" };
const failure = new ApiError({ detail: "not a number" }, 422);

function run(...events: EditEvent<string, Seen>[]): State {
  return events.reduce<State>(step, begin(seen, seen.value));
}

const typed = (draft: string) => ({ type: "typed", draft }) as const;
const saving = { type: "saving" } as const;

describe("an edit", () => {
  it("is dirty while the draft differs from what it began as", () => {
    expect(isDirty(run())).toBe(false);
    expect(isDirty(run(typed("12")))).toBe(true);
    expect(isDirty(run(typed("12"), typed("10")))).toBe(false);
    expect(isDirty(run(typed("12"), { type: "ended" }))).toBe(false);
  });

  it("keeps what was seen, and what is typed, when the thing is read again", () => {
    const read = { type: "followed", seen: theirs.seen, start: "500" } as const;
    expect(run(typed("12"), read)).toMatchObject({ seen, draft: "12", start: "10" });
    expect(run(read)).toMatchObject({ seen: theirs.seen, draft: "500", start: "500" });
  });

  it("saves once: a second save while the first is under way is none", () => {
    const first = run(typed("12"), saving);
    expect(first).toMatchObject({ phase: "saving", attempt: 1, sent: "12" });
    expect(step(first, saving)).toBe(first);
  });

  it("is clean when it is saved, with the version of the answer", () => {
    const after = { value: "12", version: 2 };
    const state = run(typed("12"), saving, { type: "saved", attempt: 1, seen: after, start: "12" });
    expect(state).toMatchObject({ phase: "editing", seen: after, draft: "12" });
    expect(isDirty(state)).toBe(false);
  });

  it("keeps what was typed while the save was under way", () => {
    const after = { value: "12", version: 2 };
    const state = run(typed("12"), saving, typed("123"), {
      type: "saved",
      attempt: 1,
      seen: after,
      start: "12",
    });
    expect(state).toMatchObject({ seen: after, start: "12", draft: "123" });
    expect(isDirty(state)).toBe(true);
  });

  it("keeps the draft and the message of a refusal until the next try", () => {
    const refused = run(typed("x"), saving, { type: "refused", attempt: 1, failure });
    expect(refused).toMatchObject({ phase: "refused", draft: "x", failure });
    const again = step(refused, typed("12"));
    expect(again).toMatchObject({ phase: "editing", failure });
    expect(step(again, saving).failure).toBeUndefined();
  });

  it("takes a refusal for that of the draft that was sent, not of what was typed since", () => {
    const refused = { type: "refused", attempt: 1, failure } as const;
    const since = run(typed("x"), saving, typed("12"), refused);
    expect(since).toMatchObject({ phase: "editing", draft: "12", failure });
  });

  it("ignores an answer that is late", () => {
    const second = run(typed("x"), saving, { type: "refused", attempt: 1, failure }, typed("12"), saving);
    expect(step(second, { type: "saved", attempt: 1, seen: theirs.seen, start: "500" })).toBe(second);
    const ended = step(second, { type: "ended" });
    expect(step(ended, { type: "saved", attempt: 2, seen: theirs.seen, start: "500" })).toBe(ended);
    expect(step(ended, typed("13"))).toBe(ended);
    const discarded = step(second, { type: "discarded" });
    expect(step(discarded, { type: "saved", attempt: 2, seen: theirs.seen, start: "500" })).toBe(discarded);
  });
});

describe("a conflict", () => {
  const found = run(typed("12"), saving, { type: "conflict", attempt: 1, theirs });

  it("shows theirs and keeps mine", () => {
    expect(found).toMatchObject({ phase: "conflict", theirs, draft: "12", seen });
  });

  it("goes on from their version when mine is kept", () => {
    const mine = step(found, { type: "rebased", start: "500" });
    expect(mine).toMatchObject({ phase: "editing", seen: theirs.seen, start: "500", draft: "12" });
    expect(isDirty(mine)).toBe(true);
    expect(mine.theirs).toBeUndefined();
  });

  it("is over, with nothing left to save, when theirs is taken", () => {
    const taken = step(found, { type: "took theirs", start: "500" });
    expect(taken).toMatchObject({ phase: "editing", seen: theirs.seen, draft: "500" });
    expect(isDirty(taken)).toBe(false);
  });

  it("is only answered while there is one", () => {
    const editing = run(typed("12"));
    expect(step(editing, { type: "took theirs", start: "500" })).toBe(editing);
  });
});

describe("rebase", () => {
  it("takes over their fields where mine are untouched", () => {
    const start = { eyes: true, over: "0", rise: "5" };
    const mine = { eyes: true, over: "3", rise: "7" };
    const other = { eyes: false, over: "9", rise: "5" };
    expect(rebase(mine, start, other)).toEqual({ eyes: false, over: "3", rise: "7" });
    expect(contested(start, mine, other)).toEqual(["eyes", "over", "rise"]);
    expect(contested(start, start, other)).toEqual(["eyes", "over"]);
  });

  it("looks into fields of fields", () => {
    const start = { came: { a: "1", b: "2" }, note: "" };
    const mine = { came: { a: "5", b: "2" }, note: "late" };
    const other = { came: { a: "1", b: "7" }, note: "" };
    expect(rebase(mine, start, other)).toEqual({ came: { a: "5", b: "7" }, note: "late" });
  });

  it("takes a single value as a whole", () => {
    expect(rebase("12", "10", "500")).toBe("12");
    expect(rebase("10", "10", "500")).toBe("500");
  });
});
