import { expect, it } from "vitest";
import { eachOf } from "./each";

it("calls for each, a few at a time", async () => {
  let running = 0;
  let most = 0;
  const done: number[] = [];
  await eachOf(
    [1, 2, 3, 4, 5],
    async (item) => {
      most = Math.max(most, ++running);
      await Promise.resolve();
      running--;
      done.push(item);
    },
    2,
  );
  expect(done.sort()).toEqual([1, 2, 3, 4, 5]);
  expect(most).toBe(2);
});

it("begins no more after one has failed", async () => {
  const begun: number[] = [];
  const work = eachOf(
    [1, 2, 3, 4, 5, 6],
    async (item) => {
      begun.push(item);
      await Promise.resolve();
      if (item === 1) throw new Error("refused");
    },
    2,
  );
  await expect(work).rejects.toThrow("refused");
  await Promise.resolve();
  expect(begun.length).toBeLessThan(5);
});
