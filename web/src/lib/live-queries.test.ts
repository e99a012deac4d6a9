import { focusManager, notifyManager, QueryObserver } from "@tanstack/react-query";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createQueryClient } from "./api";
import { motion, press } from "./live";
import { isPolled, pollQueries } from "./live-queries";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const queryKey = ["list"];

/** A list that is polled every second; each answer is the number of the call. */
async function polled() {
  const queryClient = createQueryClient();
  pollQueries(queryClient);
  const ask = vi.fn(async () => ask.mock.calls.length);
  const options = { queryKey, queryFn: ask, retry: false };
  const observer = new QueryObserver<number>(queryClient, { ...options, refetchInterval: 1_000 });
  const stop = observer.subscribe(() => {});
  await vi.advanceTimersByTimeAsync(0);
  const shown = () => observer.getCurrentResult();
  return { queryClient, ask, options, observer, shown, stop };
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

describe("polls", () => {
  it("asks again when the answer is as old as the interval, for as long as somebody watches", async () => {
    const { shown, ask, stop } = await polled();
    expect(shown().data).toBe(1);
    await pass(1_000);
    expect(shown().data).toBe(2);
    stop();
    await pass(5_000);
    expect(ask).toHaveBeenCalledTimes(2);
  });

  it("asks once for several who watch, as often as the most eager wants", async () => {
    const { queryClient, ask, options, stop } = await polled();
    const stops = [
      new QueryObserver(queryClient, { ...options, refetchInterval: 5_000 }),
      new QueryObserver(queryClient, { ...options, refetchInterval: () => 500 }),
      new QueryObserver(queryClient, { ...options, refetchInterval: 100, enabled: false }),
    ].map((observer) => observer.subscribe(() => {}));
    ask.mockClear();
    await pass(1_000);
    expect(ask).toHaveBeenCalledTimes(2);
    for (const end of [stop, ...stops]) end();
  });

  it("asks for nothing and shows nothing new while the page is held", async () => {
    const { ask, shown, stop } = await polled();
    const letGo = motion.shut();
    await pass(10_000);
    expect(ask).toHaveBeenCalledTimes(1);
    letGo();
    await pass(0);
    expect(shown().data).toBe(2);
    stop();
  });

  it("keeps an answer that was on its way back until the page may change", async () => {
    const { ask, shown, stop } = await polled();
    ask.mockImplementationOnce(() => new Promise((answer) => setTimeout(() => answer(42), 500)));
    await pass(1_000);
    const letGo = motion.shut();
    await pass(500);
    expect(shown().data).toBe(1);
    letGo();
    await pass(0);
    expect(shown().data).toBe(42);
    stop();
  });

  it("drops an answer that was kept back when somebody wrote in the meantime", async () => {
    const { queryClient, ask, shown, stop } = await polled();
    ask.mockImplementationOnce(() => new Promise((answer) => setTimeout(() => answer(42), 500)));
    await pass(1_000);
    const letGo = motion.shut();
    await pass(500);
    queryClient.setQueryData(queryKey, 7);
    letGo();
    await pass(0);
    expect(shown().data).toBe(7);
    stop();
  });

  it("does not keep back what was asked for, unless a pointer is down", async () => {
    const { shown, stop } = await polled();
    const popup = motion.shut();
    await shown().refetch();
    expect(shown().data).toBe(2);
    const release = press.shut();
    void shown().refetch();
    await pass(5_000);
    expect(shown().data).toBe(2);
    release();
    await pass(0);
    expect(shown().data).toBe(3);
    popup();
    stop();
  });

  it("keeps a first answer back while a pointer is down: it may take the place of what is pressed", async () => {
    const queryClient = createQueryClient();
    const release = press.shut();
    // Like a search that shows the hits of the previous text until its own arrive.
    const observer = new QueryObserver(queryClient, {
      queryKey: ["search", "ab"],
      queryFn: async () => "hits of ab",
      placeholderData: "hits of a",
    });
    const stop = observer.subscribe(() => {});
    await pass(1_000);
    expect(observer.getCurrentResult().data).toBe("hits of a");
    release();
    await pass(0);
    expect(observer.getCurrentResult().data).toBe("hits of ab");
    stop();
  });

  it("does not tell of an answer that came just before a press until the release", async () => {
    const { observer, stop } = await polled();
    const told = vi.fn();
    // As useQuery does.
    const leave = observer.subscribe(notifyManager.batchCalls((result) => told(result.data)));
    void observer.refetch();
    await pass(0);
    told.mockClear();
    // Everything that waits for promises has happened, and nothing that waits for a timer.
    void observer.refetch();
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    expect(observer.getCurrentResult().data).toBe(3);
    const release = press.shut();
    await pass(1_000);
    expect(told).not.toHaveBeenCalledWith(3);
    release();
    await pass(0);
    expect(told).toHaveBeenCalledWith(3);
    leave();
    stop();
  });

  it("keeps the old answer when a poll fails, and goes on", async () => {
    const { ask, shown, stop } = await polled();
    const { dataUpdatedAt } = shown();
    ask.mockRejectedValueOnce(new Error("away"));
    await pass(1_000);
    expect(shown()).toMatchObject({ data: 1, dataUpdatedAt, error: new Error("away") });
    await pass(1_000);
    expect(shown()).toMatchObject({ data: 3, error: null });
    stop();
  });

  it("looks again as a poll when one comes back to the page", async () => {
    const { queryClient, ask, stop } = await polled();
    const leave = motion.shut();
    focusManager.setFocused(false);
    await pass(60_000);
    focusManager.setFocused(true);
    await pass(0);
    expect(ask).toHaveBeenCalledTimes(1);
    leave();
    await pass(0);
    expect(ask).toHaveBeenCalledTimes(2);
    expect(isPolled(queryClient.getQueryCache().find({ queryKey }))).toBe(true);
    focusManager.setFocused(undefined);
    stop();
  });

  it("tells a poll's answer from one that was asked for", async () => {
    const { queryClient, shown, stop } = await polled();
    const query = () => queryClient.getQueryCache().find({ queryKey });
    expect(isPolled(query())).toBe(false);
    await pass(1_000);
    expect(isPolled(query())).toBe(true);
    await shown().refetch();
    expect(isPolled(query())).toBe(false);
    stop();
  });
});
