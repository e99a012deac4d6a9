import { dropDraft, findDraft, keepDraft } from "./drafts";
import { begin, type EditEvent, type EditState, isDirty, same, step, type Theirs } from "./edit-state";
import { type ApiError, toApiError } from "./problem";
import type { Unsaved, UnsavedWork } from "./unsaved";

export interface EditSpec<D, S> {
  toDraft: (seen: S) => D;
  /** Sends the change with the version that the person saw. Returns the stored value, if known. */
  save: (draft: D, seen: S) => Promise<S | undefined>;
  /** Reads the current value after a version conflict (412). */
  look?: ((seen: S, refusal: ApiError) => Promise<Theirs<S>>) | undefined;
  /** Called when the whole draft is saved. */
  onSaved?: (() => void) | undefined;
  /** Called for a refusal when the editor that would show it is gone. */
  onUnseen?: ((failure: ApiError) => void) | undefined;
}

/**
 * One edit, from its start until it is saved or discarded. It is an object and not React state,
 * because of two events in a row, such as Enter and blur, the second must see the first one's effect.
 */
export class EditSession<D, S> implements Unsaved {
  spec: EditSpec<D, S>;
  settled: Promise<void> | undefined;
  #state: EditState<D, S>;
  #key: string | undefined;
  #works = new Set<UnsavedWork>();
  #watchers = new Set<() => void>();

  /** `key` names the draft in the tab's storage; without a key the draft is not stored. */
  constructor(spec: EditSpec<D, S>, seen: S, key?: string) {
    this.spec = spec;
    this.#key = key;
    this.#state = begin(seen, spec.toDraft(seen));
    const kept = key === undefined ? undefined : findDraft(key);
    if (!kept || same(kept.draft, kept.start)) return;
    const { draft, start } = kept as { draft: D; start: D };
    this.#state = { ...this.#state, seen: kept.seen as S, start, draft, restored: true };
  }

  get state(): EditState<D, S> {
    return this.#state;
  }

  get dirty(): boolean {
    return isDirty(this.#state);
  }

  /** Adds the edit to the unsaved work of a page or dialog, until the returned function is called. */
  attach(work: UnsavedWork): () => void {
    this.#works.add(work);
    const remove = work.add(this);
    return () => {
      this.#works.delete(work);
      remove();
    };
  }

  watch = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  };

  type = (draft: D): void => this.#step({ type: "typed", draft });

  /** Takes over a refetched value, unless something was typed. */
  follow(seen: S): void {
    if (!same(seen, this.#state.seen)) this.#step({ type: "followed", seen, start: this.spec.toDraft(seen) });
  }

  /** Whether a blur saves. A refused draft or an open conflict waits for the person instead. */
  get savesOnLeave(): boolean {
    return this.#state.phase === "editing" && !this.#state.restored;
  }

  /** Sends the draft, unless a save is already under way. */
  save = (): Promise<void> => {
    const before = this.#state;
    // A conflict is answered by keepMine or takeTheirs.
    if (before.phase !== "conflict") this.#step({ type: "saving" });
    if (this.#state === before) return this.settled ?? Promise.resolve();
    const sending = this.#send(this.#state);
    this.settled = sending;
    return sending;
  };

  /** Rebases the draft on the current value, to be looked at before it is saved. */
  rebase = (): void => {
    const { theirs } = this.#state;
    if (theirs) this.#step({ type: "rebased", start: this.spec.toDraft(theirs.seen) });
  };

  keepMine = (): Promise<void> => {
    this.rebase();
    return this.save();
  };

  takeTheirs = (): void => {
    const { theirs } = this.#state;
    if (theirs) this.#step({ type: "took theirs", start: this.spec.toDraft(theirs.seen) });
  };

  discard = (): void => this.#step({ type: "discarded" });

  /** Ends the edit; its editor closes. */
  giveUp = (): void => this.#step({ type: "ended" });

  async #send({ attempt, draft, seen }: EditState<D, S>): Promise<void> {
    try {
      const fresh = await this.spec.save(draft, seen);
      const start = fresh === undefined ? draft : this.spec.toDraft(fresh);
      this.#step({ type: "saved", attempt, seen: fresh ?? seen, start });
      if (!this.dirty) this.spec.onSaved?.();
    } catch (cause) {
      const failure = toApiError(cause);
      const theirs = failure.status === 412 ? await this.#look(seen, failure) : undefined;
      this.#step(theirs ? { type: "conflict", attempt, theirs } : { type: "refused", attempt, failure });
      if (this.#works.size === 0) this.spec.onUnseen?.(failure);
    }
  }

  async #look(seen: S, failure: ApiError): Promise<Theirs<S> | undefined> {
    try {
      return await this.spec.look?.(seen, failure);
    } catch {
      return undefined; // the refusal itself is shown instead
    }
  }

  #step(event: EditEvent<D, S>): void {
    const next = step(this.#state, event);
    if (next === this.#state) return;
    this.#state = next;
    if (this.#key !== undefined) {
      const { draft, start, seen } = next;
      if (this.dirty) keepDraft(this.#key, { draft, start, seen });
      else dropDraft(this.#key);
    }
    for (const watcher of this.#watchers) watcher();
    for (const work of this.#works) work.changed();
  }
}
