/** An edit that may have unsaved changes. */
export interface Unsaved {
  readonly dirty: boolean;
  /** Resolves when the save under way is answered. */
  readonly settled: Promise<void> | undefined;
  /**
   * Restores the initial value. The edit continues, because a person may leave a page and come
   * back before the next one is shown.
   */
  discard(): void;
}

/** The unsaved edits of a page or dialog. */
export class UnsavedWork {
  #all = new Set<Unsaved>();
  #watchers = new Set<() => void>();
  #released = false;

  add(one: Unsaved): () => void {
    this.#all.add(one);
    this.changed();
    return () => {
      this.#all.delete(one);
      this.changed();
    };
  }

  get any(): boolean {
    return !this.#released && [...this.#all].some((one) => one.dirty);
  }

  /** Lets the page be left without a question, because the drafts are stored. */
  release(): void {
    this.#released = true;
  }

  hold(): void {
    this.#released = false;
  }

  /** Resolves when every save under way is answered. */
  async settled(): Promise<void> {
    await Promise.all([...this.#all].map((one) => one.settled));
  }

  discard(): void {
    for (const one of [...this.#all]) if (one.dirty) one.discard();
  }

  /** Notifies the watchers. */
  changed(): void {
    for (const watcher of this.#watchers) watcher();
  }

  watch = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  };
}

/** The unsaved edits of the current page. */
export const unsaved = new UnsavedWork();

/** Asks whether to leave and lose unsaved changes. */
type Ask = () => Promise<boolean>;

const hosts: Ask[] = [];
let asked: Promise<boolean> | undefined;

/** Registers a way to ask. The latest one is used: the question must be inside the topmost dialog. */
export function hostQuestion(ask: Ask): () => void {
  hosts.push(ask);
  return () => {
    hosts.splice(hosts.lastIndexOf(ask), 1);
  };
}

/**
 * Whether the page or dialog may be left. Waits for saves under way, asks about unsaved changes, and
 * discards them if the person agrees.
 */
export async function mayLeave(work: UnsavedWork = unsaved): Promise<boolean> {
  await work.settled();
  if (!work.any) return true;
  asked ??= (hosts.at(-1)?.() ?? Promise.resolve(true)).finally(() => {
    asked = undefined;
  });
  const leave = await asked;
  if (leave) work.discard();
  return leave;
}

/** The same for a single edit. */
export async function mayGiveUp(one: Unsaved): Promise<boolean> {
  const work = new UnsavedWork();
  work.add(one);
  return mayLeave(work);
}
