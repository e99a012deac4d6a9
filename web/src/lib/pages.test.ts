import { expect, it } from "vitest";
import { allPages } from "./pages";

it("reads a list to its end", async () => {
  const pages: Record<string, { items: number[]; next_cursor?: string }> = {
    "": { items: [1, 2], next_cursor: "a" },
    a: { items: [3], next_cursor: "b" },
    b: { items: [4] },
  };
  const { items } = await allPages<number>(async ({ cursor }) => ({
    data: pages[cursor ?? ""] ?? { items: [] },
  }));
  expect(items).toEqual([1, 2, 3, 4]);
});
