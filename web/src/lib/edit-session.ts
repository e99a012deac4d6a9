import { dropDraft, findDraft, keepDraft } from "./drafts";
import { begin, type EditEvent, type EditState, isDirty, same, step, type Theirs } from "./edit-state";
import { type ApiError, toApiError } from "./problem";
import type { Unsaved, UnsavedWork } from "./unsaved";

export interface EditSpec<D, S> {
  toDraft: (seen: S) => D;
  /** Sends the change with the version that was seen. Returns what stands there then, if it is known. */
  save: (draft: D, seen: S) => Promise<S | undefined>;
  /** Looks what stands there now, after a refusal because of another version (412). */
  look?: ((seen: S, refusal: ApiError) => Promise<Theirs<S>>) | undefined;
  /** Everything that was typed is saved. */
  onSaved?: (() => void) | undefined;
  /** A refusal that nobody sees, because what would show it is gone. */
  onUnseen?: ((failure: ApiError) => void) | undefined;
}

/**
 * One edit, from when it begins until it is saved or given up. An object and not React state: two
 * events of one moment, such as Enter and the blur that follows, must see each other's effect.
 */
export class EditSession<D, S> implements Unsaved {
  spec: EditSpec<D, S>;
  settled: Promise<void> | undefined;
  #state: EditState<D, S>;
  #key: string | undefined;
  #works = new Set<UnsavedWork>();
  #watchers = new Set<() => void>();

  /** `key` names the draft in the tab's storage; without one it is not kept there. */
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

  /** Counts as unsaved work of the page, or of a dialog, until the returned function is called. */
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

  /** Takes over what was read again, unless something was typed. */
  follow(seen: S): void {
    if (!same(seen, this.#state.seen)) this.#step({ type: "followed", seen, start: this.spec.toDraft(seen) });
  }

  /** Whether going elsewhere saves: what was refused, or must be decided, waits for an answer. */
  get savesOnLeave(): boolean {
    return this.#state.phase === "editing" && !this.#state.restored;
  }

  /** Sends what is typed, once: while a save is under way another one is not begun. */
  save = (): Promise<void> => {
    const before = this.#state;
    // A conflict is answered by keepMine or takeTheirs.
    if (before.phase !== "conflict") this.#step({ type: "saving" });
    if (this.#state === before) return this.settled ?? Promise.resolve();
    const sending = this.#send(this.#state);
    this.settled = sending;
    return sending;
  };

  /** Puts what one has typed on top of what stands there now, to look at it before it is saved. */
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

  /** Ends the edit: what it was typed in closes. */
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
      return undefined; // the refusal itself is shown then
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
