import type { ApiError } from "./problem";

// One edit as a state machine, without React, storage or the network. lib/edit-session.ts runs it.

/** Somebody else's change since the edit began. */
export interface Theirs<S> {
  seen: S;
  /** Who changed it, by name or id; absent if unknown. */
  by?: string | undefined;
  actor?: { by_type: string; by_id?: string } | undefined;
  /** When, as RFC 3339. */
  at?: string | undefined;
}

export type Phase = "editing" | "saving" | "refused" | "conflict" | "ended";

/** D is the draft, S the value that the person saw, with its version. Both must survive JSON. */
export interface EditState<D, S> {
  phase: Phase;
  /** The value that the person saw when the edit began. Its version is sent with the change. */
  seen: S;
  /** The content of the fields when the edit began. */
  start: D;
  draft: D;
  /** The draft that the save under way has sent. */
  sent: D | undefined;
  /** Counts the saves; only the answer to the latest one counts. */
  attempt: number;
  failure: ApiError | undefined;
  theirs: Theirs<S> | undefined;
  /** The draft was typed before this page was loaded, and has not changed since. */
  restored: boolean;
}

export type EditEvent<D, S> =
  | { type: "typed"; draft: D }
  | { type: "saving" }
  | { type: "saved"; attempt: number; seen: S; start: D }
  | { type: "refused"; attempt: number; failure: ApiError }
  | { type: "conflict"; attempt: number; theirs: Theirs<S> }
  /** The value was refetched before anything was typed. */
  | { type: "followed"; seen: S; start: D }
  /** The person has seen the conflict: their changes are rebased on the current value. */
  | { type: "rebased"; start: D }
  | { type: "took theirs"; start: D }
  /** The draft is discarded; the fields stay and show the initial value again. */
  | { type: "discarded" }
  | { type: "ended" };

export function begin<D, S>(seen: S, start: D): EditState<D, S> {
  return {
    phase: "editing",
    seen,
    start,
    draft: start,
    sent: undefined,
    attempt: 0,
    failure: undefined,
    theirs: undefined,
    restored: false,
  };
}

/** Drafts are small and plain, so comparing their JSON is enough. */
export function same(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

export function isDirty<D, S>({ phase, start, draft }: EditState<D, S>): boolean {
  return phase !== "ended" && !same(start, draft);
}

/** Returns the same state when the event changes nothing. */
export function step<D, S>(state: EditState<D, S>, event: EditEvent<D, S>): EditState<D, S> {
  if (state.phase === "ended") return state;
  const late = "attempt" in event && (event.attempt !== state.attempt || state.phase !== "saving");
  if (late) return state;
  switch (event.type) {
    case "typed":
      // The refusal is shown until the next try; a blur may try again now.
      return {
        ...state,
        draft: event.draft,
        phase: state.phase === "refused" ? "editing" : state.phase,
        restored: false,
      };
    case "saving":
      if (state.phase === "saving") return state;
      return {
        ...state,
        phase: "saving",
        attempt: state.attempt + 1,
        sent: state.draft,
        failure: undefined,
        theirs: undefined,
      };
    case "saved":
      return saved(state, event);
    case "refused": {
      // Text typed during the save was not refused: a blur may try it.
      const phase = same(state.draft, state.sent) ? "refused" : "editing";
      return { ...state, phase, failure: event.failure, sent: undefined };
    }
    case "conflict":
      return { ...state, phase: "conflict", theirs: event.theirs, sent: undefined };
    case "followed":
      if (state.phase !== "editing" || isDirty(state)) return state;
      return { ...state, seen: event.seen, start: event.start, draft: event.start };
    case "rebased":
    case "took theirs":
      return overtaken(state, event);
    case "discarded":
      return { ...begin(state.seen, state.start), attempt: state.attempt };
    case "ended":
      return { ...state, phase: "ended" };
  }
}

function saved<D, S>(state: EditState<D, S>, { seen, start }: { seen: S; start: D }): EditState<D, S> {
  const next = { ...state, phase: "editing" as const, seen, start, sent: undefined, restored: false };
  // Text typed during the save is not saved yet, and stays in the draft.
  return same(state.draft, state.sent) ? { ...next, draft: start } : next;
}

function overtaken<D, S>(
  state: EditState<D, S>,
  event: { type: "rebased" | "took theirs"; start: D },
): EditState<D, S> {
  if (state.phase !== "conflict" || !state.theirs) return state;
  const { start } = event;
  const draft = event.type === "rebased" ? rebase(state.draft, state.start, start) : start;
  return { ...state, phase: "editing", seen: state.theirs.seen, start, draft, theirs: undefined };
}

/** Puts my changes on top of theirs: fields that I have not touched take their values. */
export function rebase<D>(mine: D, start: D, theirs: D): D {
  if (!isFields(mine) || !isFields(start) || !isFields(theirs)) return same(mine, start) ? theirs : mine;
  const merged: Record<string, unknown> = { ...theirs };
  for (const [name, value] of Object.entries(mine)) merged[name] = rebase(value, start[name], theirs[name]);
  return merged as D;
}

/** The fields that either side changed, in the draft's order. */
export function contested<D extends object>(start: D, mine: D, theirs: D): (keyof D)[] {
  const names = Object.keys(start) as (keyof D)[];
  return names.filter((name) => !same(start[name], theirs[name]) || !same(start[name], mine[name]));
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
