import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Gate, Scheduler } from "./live";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

describe("Gate", () => {
  it("opens when the last of those who hold it lets go", async () => {
    const gate = new Gate();
    const [menu, selection] = [gate.shut(), gate.shut()];
    const passed = vi.fn();
    void gate.passed().then(passed);
    menu();
    menu();
    await vi.advanceTimersByTimeAsync(0);
    expect(passed).not.toHaveBeenCalled();
    selection();
    await vi.advanceTimersByTimeAsync(0);
    expect(passed).toHaveBeenCalledOnce();
  });

  it("keeps a caller waiting when it is shut again at once", async () => {
    const gate = new Gate();
    const letGo = gate.shut();
    gate.onceOpen(() => gate.shut());
    const passed = vi.fn();
    void gate.passed().then(passed);
    letGo();
    await vi.advanceTimersByTimeAsync(0);
    expect(passed).not.toHaveBeenCalled();
  });

  it("lets an aborted caller go", async () => {
    const gate = new Gate();
    gate.shut();
    const abort = new AbortController();
    const passed = gate.passed(abort.signal);
    abort.abort();
    await expect(passed).resolves.toBeUndefined();
  });
});

/** A scheduler with one task that is due every `every` milliseconds, and when it ran. */
function withTask(every: number) {
  const gate = new Gate();
  const scheduler = new Scheduler(gate);
  const start = Date.now();
  const ran: number[] = [];
  const remove = scheduler.add(() => [
    { due: start + (ran.at(-1) ?? 0) + every, run: () => ran.push(Date.now() - start) },
  ]);
  return { gate, scheduler, ran, remove };
}

describe("Scheduler", () => {
  it("runs what is due, and nothing once it is removed", () => {
    const { ran, remove } = withTask(1_000);
    vi.advanceTimersByTime(2_500);
    expect(ran).toEqual([1_000, 2_000]);
    remove();
    vi.advanceTimersByTime(10_000);
    expect(ran).toHaveLength(2);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("runs nothing while the gate is shut, and what is overdue once when it opens", () => {
    const { gate, ran } = withTask(1_000);
    const letGo = gate.shut();
    vi.advanceTimersByTime(5_000);
    expect(ran).toEqual([]);
    letGo();
    vi.advanceTimersByTime(0);
    expect(ran).toEqual([5_000]);
    vi.advanceTimersByTime(1_000);
    expect(ran).toEqual([5_000, 6_000]);
  });

  it("stops in the middle of a round when a task shuts the gate", () => {
    const gate = new Gate();
    const second = vi.fn();
    new Scheduler(gate).add(() => [
      { due: gate.open ? 0 : Number.POSITIVE_INFINITY, run: () => gate.shut() },
      { due: 0, run: second },
    ]);
    vi.advanceTimersByTime(10);
    expect(second).not.toHaveBeenCalled();
  });

  it("takes one timer for all tasks, and plans anew when a source says so", () => {
    const scheduler = new Scheduler(new Gate());
    let due = Number.POSITIVE_INFINITY;
    const run = vi.fn(() => {
      due = Number.POSITIVE_INFINITY;
    });
    scheduler.add(() => [{ due, run }]);
    scheduler.add(() => [{ due: Date.now() + 60_000, run: () => {} }]);
    expect(vi.getTimerCount()).toBe(1);
    due = Date.now() + 100;
    scheduler.plan();
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(100);
    expect(run).toHaveBeenCalledOnce();
  });
});
