import { expect, test } from "vitest";
import type { Line } from "@/api/types.gen";
import { type Counted, count, refresh, setCount } from "./scan";

const line = (id: string, open: string, actions = ["receive"]) =>
  ({ id, quantity_open: open, actions }) as unknown as Line;
const told = (counted: readonly Counted[]) => counted.map((one) => `${one.line.id} ${one.quantity}`);

test("pieces fill the earliest line first, and the last one takes the surplus", () => {
  const found = [line("a", "2"), line("b", "1")];
  let counted: Counted[] = [];
  const seen = [];
  for (let piece = 0; piece < 5; piece++) {
    counted = count(counted, found);
    seen.push(told(counted).join(", "));
  }
  expect(seen).toEqual(["a 1", "a 2", "b 1, a 2", "b 2, a 2", "b 3, a 2"]);
});

test("half pieces that are open count as open", () => {
  const half = [line("a", "0.5"), line("b", "4")];
  expect(told(count(count([], half), half))).toEqual(["b 1", "a 1"]);
});

test("a code without a line changes nothing", () => {
  const counted = count([], [line("a", "2")]);
  expect(count(counted, [])).toEqual(counted);
});

test("a count can be set, and nothing takes the line off", () => {
  const counted = count(count([], [line("a", "2")]), [line("b", "2")]);
  expect(told(setCount(counted, "a", "7"))).toEqual(["b 1", "a 7"]);
  expect(told(setCount(counted, "a", "0"))).toEqual(["b 1"]);
});

test("lines that changed meanwhile are taken over, and what no longer waits is dropped", () => {
  const counted = count(count([], [line("a", "2")]), [line("b", "2")]);
  const now = [line("a", "1"), line("b", "0", ["correct"])];
  expect(refresh(counted, now)).toEqual([{ line: now[0], quantity: "1" }]);
});
