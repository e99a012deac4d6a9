import { describe, expect, it, vi } from "vitest";
import { loadUpTo, pollAfter } from "./list-rows";

/** A list of 1 to `length` that is read in pages of three, with some pages loaded. */
function listOf(length: number, loaded: number) {
  const all = Array.from({ length }, (_, n) => n + 1);
  let pages = loaded;
  const now = () => ({
    data: { pages: Array.from({ length: pages }, (_, at) => ({ items: all.slice(3 * at, 3 * at + 3) })) },
    hasNextPage: 3 * pages < length,
  });
  const next = vi.fn(async () => {
    pages++;
    return now();
  });
  return { now: now(), next };
}

describe("loading up to a number of rows", () => {
  it.each([
    ["stops at the end of the list", 7, 10, [1, 2, 3, 4, 5, 6, 7], 2],
    ["loads no page too many", 100, 6, [1, 2, 3, 4, 5, 6], 1],
    ["returns no row too many", 100, 5, [1, 2, 3, 4, 5], 1],
    ["loads nothing if there is enough", 100, 2, [1, 2], 0],
    ["loads nothing if everything is there", 3, 10, [1, 2, 3], 0],
  ])("%s", async (_, length, most, rows, calls) => {
    const { now, next } = listOf(length, 1);
    expect(await loadUpTo(most, now, next)).toEqual(rows);
    expect(next).toHaveBeenCalledTimes(calls);
  });

  it("fails with the page that failed: half a list is not a list", async () => {
    const { now } = listOf(100, 1);
    await expect(loadUpTo(10, now, () => Promise.reject(new Error("away")))).rejects.toThrow("away");
  });

  it("has no rows before the first answer", async () => {
    const next = vi.fn();
    expect(await loadUpTo(10, { data: undefined, hasNextPage: false }, next)).toEqual([]);
    expect(next).not.toHaveBeenCalled();
  });
});

describe("a list is polled", () => {
  const pages = (count: number) => ({ pages: Array.from({ length: count }, (_, n) => ({ items: [n] })) });
  it("while few pages are loaded, to spare the service", () => {
    expect(pollAfter(undefined, 5_000)).toBe(5_000);
    expect(pollAfter(pages(4), 5_000)).toBe(5_000);
    expect(pollAfter(pages(5), 5_000)).toBe(false);
  });
  it("as often as its rows need", () => {
    const every = (rows: readonly number[]) => (rows.includes(1) ? 1_000 : 60_000);
    expect([undefined, pages(1), pages(2)].map((data) => pollAfter(data, every))).toEqual([
      60_000, 60_000, 1_000,
    ]);
  });
  it("only if it is wanted", () => expect(pollAfter(pages(1), undefined)).toBe(false));
});
