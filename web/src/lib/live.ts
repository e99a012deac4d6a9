import { useEffect, useSyncExternalStore } from "react";

// The live policy. Polls and relative times change a page by themselves. If a row moves between the
// press and the release of a pointer, the click is lost. So they change the page only while nobody
// is in the middle of something: one scheduler runs them all, and waits while a pointer is down, a
// popup is open or a row is selected.

/** A gate is open while nothing holds it shut. */
export class Gate {
  #holders = new Set<symbol>();
  #waiting = new Set<() => void>();

  get open(): boolean {
    return this.#holders.size === 0;
  }

  /** Holds the gate shut until the returned function is called. */
  shut(): () => void {
    const holder = Symbol();
    this.#holders.add(holder);
    return () => {
      if (!this.#holders.delete(holder) || !this.open) return;
      const waiting = [...this.#waiting];
      this.#waiting.clear();
      for (const pass of waiting) pass();
    };
  }

  /** Calls back when the gate next opens. The returned function cancels this. */
  onceOpen(pass: () => void): () => void {
    this.#waiting.add(pass);
    return () => this.#waiting.delete(pass);
  }

  /** Resolves when the gate is open, or when the signal aborts. */
  async passed(signal?: AbortSignal): Promise<void> {
    // Another caller may shut the gate again before this one continues.
    while (!this.open && !signal?.aborted) {
      await new Promise<void>((resolve) => {
        this.onceOpen(resolve);
        signal?.addEventListener("abort", () => resolve(), { once: true });
      });
    }
  }
}

/** A task that changes the page, and the time at which it is due, in milliseconds. */
export interface Task {
  due: number;
  run: () => void;
}

// setTimeout fires at once for any longer delay.
const longestDelay = 2 ** 31 - 1;

/** Runs tasks when they are due and the gate is open, with one timer for all. */
export class Scheduler {
  #gate: Gate;
  #sources = new Set<() => Task[]>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #forget = () => {};

  constructor(gate: Gate) {
    this.#gate = gate;
  }

  /** Adds a source of tasks, called on every plan. After a task has run, its due time must be later. */
  add(source: () => Task[]): () => void {
    this.#sources.add(source);
    this.plan();
    return () => {
      this.#sources.delete(source);
      this.plan();
    };
  }

  /** Sets the timer to the next due task; sources call this when their tasks change. */
  plan(): void {
    clearTimeout(this.#timer);
    this.#forget();
    const next = Math.min(...this.#tasks().map((task) => task.due));
    if (next === Number.POSITIVE_INFINITY) return;
    if (!this.#gate.open) {
      this.#forget = this.#gate.onceOpen(() => this.plan());
      return;
    }
    const delay = Math.max(0, next - Date.now());
    this.#timer = setTimeout(() => this.#run(), Math.min(delay, longestDelay));
  }

  #tasks(): Task[] {
    return [...this.#sources].flatMap((source) => source());
  }

  #run() {
    const now = Date.now();
    for (const task of this.#tasks()) if (this.#gate.open && task.due <= now) task.run();
    this.plan();
  }
}

/** Shut while a pointer is down: then no refresh may change the page, not even a requested one. */
export const press = new Gate();
/** Shut while a pointer is down, a popup is open, a row is selected or the page is hidden. */
export const motion = new Gate();
export const scheduler = new Scheduler(motion);

// Long enough for the second half of a double click, and for a popup to open after its click.
const settleTime = 300;

/** Shuts the gates while a pointer is down or the page is hidden. */
export function watchPage(page: Document): void {
  const down = new Map<number, () => void>();
  page.addEventListener(
    "pointerdown",
    ({ pointerId, button }) => {
      if (button !== 0 || down.has(pointerId)) return;
      const [letGo, settle] = [press.shut(), motion.shut()];
      down.set(pointerId, () => {
        setTimeout(letGo, 0); // after the click that follows the release
        setTimeout(settle, settleTime);
      });
    },
    true,
  );
  const release = ({ pointerId }: PointerEvent) => {
    down.get(pointerId)?.();
    down.delete(pointerId);
  };
  page.addEventListener("pointerup", release, true);
  page.addEventListener("pointercancel", release, true);
  // A native menu or another window may have received the release.
  page.addEventListener("pointermove", (event) => event.buttons === 0 && release(event), true);

  let show = () => {};
  const look = () => {
    show();
    show = page.hidden ? motion.shut() : () => {};
  };
  page.addEventListener("visibilitychange", look);
  look();
}

/** Keeps the page still while something is open, selected or edited. */
export function useHold(active: boolean): void {
  useEffect(() => (active ? motion.shut() : undefined), [active]);
}

/** Keeps the page still while mounted; every popup contains one. */
export function Hold(): null {
  useHold(true);
  return null;
}

const tickEvery = 15_000;
const watchers = new Set<() => void>();
let now = Date.now();

function tick() {
  now = Date.now();
  for (const watcher of watchers) watcher();
}

scheduler.add(() => (watchers.size > 0 ? [{ due: now + tickEvery, run: tick }] : []));

function watchClock(watcher: () => void) {
  if (watchers.size === 0) now = Date.now();
  watchers.add(watcher);
  scheduler.plan();
  return () => {
    watchers.delete(watcher);
    scheduler.plan();
  };
}

/** The current time in milliseconds, refreshed every fifteen seconds while the page may change. */
export function useNow(): number {
  return useSyncExternalStore(watchClock, () => now);
}
