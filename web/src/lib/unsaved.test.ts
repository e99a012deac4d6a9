import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { hostQuestion, mayGiveUp, mayLeave, type Unsaved, UnsavedWork } from "./unsaved";

/** An edit with unsaved changes. */
const edit = (more: Partial<Unsaved> = {}) => ({
  dirty: true,
  settled: undefined,
  discard: vi.fn(),
  ...more,
});
const workWith = (...edits: Unsaved[]) => {
  const work = new UnsavedWork();
  for (const one of edits) work.add(one);
  return work;
};

const ask = vi.fn<() => Promise<boolean>>();
let forget = () => {};
beforeEach(() => {
  ask.mockReset().mockResolvedValue(false);
  forget = hostQuestion(ask);
});
afterEach(() => forget());

it("keeps what is typed if the person stays, and discards only what is unsaved if they leave", async () => {
  const [typed, clean] = [edit(), edit({ dirty: false })];
  const work = workWith(typed, clean);
  expect(await mayLeave(work)).toBe(false);
  expect(typed.discard).not.toHaveBeenCalled();
  ask.mockResolvedValue(true);
  expect(await mayLeave(work)).toBe(true);
  expect(typed.discard).toHaveBeenCalledOnce();
  expect(clean.discard).not.toHaveBeenCalled();
});

it("asks once when two things want to leave at the same time", async () => {
  const answers: ((leave: boolean) => void)[] = [];
  ask.mockImplementation(() => new Promise((resolve) => answers.push(resolve)));
  const both = [mayLeave(workWith(edit())), mayLeave(workWith(edit()))];
  await vi.waitFor(() => expect(ask).toHaveBeenCalled());
  for (const answer of answers) answer(true);
  expect(await Promise.all(both)).toEqual([true, true]);
  expect(ask).toHaveBeenCalledOnce();
  ask.mockResolvedValue(true);
  await mayLeave(workWith(edit()));
  expect(ask, "the next one is a new question").toHaveBeenCalledTimes(2);
});

it("asks about a draft whose save was refused on the way out", async () => {
  let refuse = () => {};
  const settled = new Promise<void>((resolve) => (refuse = resolve));
  const saving = edit({ settled });
  const leaving = mayLeave(workWith(saving));
  await Promise.resolve();
  expect(ask, "not before the answer").not.toHaveBeenCalled();
  refuse();
  expect(await leaving).toBe(false);
  expect(ask).toHaveBeenCalledOnce();
});

it("asks in the topmost dialog, and below it once that is closed", async () => {
  const inDialog = vi.fn(async () => true);
  const close = hostQuestion(inDialog);
  expect(await mayLeave(workWith(edit()))).toBe(true);
  expect(ask).not.toHaveBeenCalled();
  close();
  expect(await mayLeave(workWith(edit()))).toBe(false);
  expect(inDialog).toHaveBeenCalledOnce();
});

it("asks nothing while drafts are stored, and again afterwards", async () => {
  const work = workWith(edit());
  work.release();
  expect(await mayLeave(work)).toBe(true);
  work.hold();
  expect(await mayLeave(work)).toBe(false);
  expect(ask).toHaveBeenCalledOnce();
});

it("gives up one edit without asking about others", async () => {
  const other = edit();
  workWith(other);
  expect(await mayGiveUp(edit({ dirty: false }))).toBe(true);
  expect(ask).not.toHaveBeenCalled();
  expect(other.discard).not.toHaveBeenCalled();
});

it("tells who watches of edits that come and go", () => {
  const work = new UnsavedWork();
  const watcher = vi.fn();
  const stop = work.watch(watcher);
  const remove = work.add(edit());
  expect(work.any).toBe(true);
  remove();
  expect(work.any).toBe(false);
  expect(watcher).toHaveBeenCalledTimes(2);
  stop();
  work.changed();
  expect(watcher).toHaveBeenCalledTimes(2);
});
