import { expect, it } from "vitest";
import { allPages, readPages } from "./pages";

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

it("takes as many pages from an address as a screen can bear", () => {
  expect(readPages(3)).toEqual({ pages: 3 });
  expect(readPages("3")).toEqual({ pages: 3 });
  expect(readPages(500)).toEqual({ pages: 20 });
  for (const none of [undefined, "", "x", 1, 0, -2, 2.5, {}, true]) expect(readPages(none)).toEqual({});
});
