/** Something that may hold work which is not saved. */
export interface Unsaved {
  readonly dirty: boolean;
  /** Resolves when the save under way is answered. */
  readonly settled: Promise<void> | undefined;
  /**
   * Puts back what stood there before. The edit goes on: one may leave a page, and come back
   * before the next one is shown.
   */
  discard(): void;
}

/** What is not saved in a page or in a dialog. */
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

  /** Lets the page go without a question: the drafts are kept elsewhere. */
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

  /** Tells whoever watches to look again. */
  changed(): void {
    for (const watcher of this.#watchers) watcher();
  }

  watch = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  };
}

/** Everything on the page that is shown. */
export const unsaved = new UnsavedWork();

/** Asks whether to leave and lose what is not saved. */
type Ask = () => Promise<boolean>;

const hosts: Ask[] = [];
let asked: Promise<boolean> | undefined;

/** Registers what can ask. The latest asks: a question must stand inside the topmost dialog. */
export function hostQuestion(ask: Ask): () => void {
  hosts.push(ask);
  return () => {
    hosts.splice(hosts.lastIndexOf(ask), 1);
  };
}

/**
 * Whether one may go: what is being saved is waited for, and what is not saved is asked about
 * and given up if the person says so.
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

/** The same about one edit alone. */
export async function mayGiveUp(one: Unsaved): Promise<boolean> {
  const work = new UnsavedWork();
  work.add(one);
  return mayLeave(work);
}
