import { describe, expect, it } from "vitest";
import { matchRank, searchEntries } from "./match";

it("ranks a beginning before a word before letters", () => {
  const rank = (text: string) => matchRank(text, "po") ?? Number.POSITIVE_INFINITY;
  expect(rank("Pooling")).toBeLessThan(rank("Open POs"));
  expect(rank("Open POs")).toBeLessThan(rank("Report"));
  expect(rank("Report")).toBeLessThan(rank("Purchase orders"));
  expect(matchRank("Tables", "po")).toBeNull();
});

it("matches words in any order and everything for nothing", () => {
  expect(matchRank("Generate an API key", "key gen")).toBe(2);
  expect(matchRank("Anything", " ")).toBe(0);
});

describe("entries", () => {
  const entry = (label: string, keywords?: string) => ({ label, ...(keywords && { keywords }) });
  const entries = [
    entry("Stop the export"),
    entry("Settings", "options tools"),
    entry("New order", "purchase"),
    entry("Purchase orders", "buying"),
    entry("Order history"),
    entry("Orders"),
  ];
  const found = (query: string) => {
    const { close, loose } = searchEntries(entries, query);
    return [close, loose].map((some) => some.map(({ label }) => label));
  };

  it("are close if they begin with the query, and come by rank, not by their place", () => {
    expect(found("ord")).toEqual([
      ["Order history", "Orders"],
      ["New order", "Purchase orders"],
    ]);
  });

  it("match by a synonym after all that match by their label", () => {
    expect(found("purchase")).toEqual([["Purchase orders"], ["New order"]]);
    expect(found("to")).toEqual([[], ["Stop the export", "Order history", "Settings"]]);
  });

  it("are all there, in their order, without a query", () => {
    expect(found("")).toEqual([entries.map(({ label }) => label), []]);
    expect(found("zzz")).toEqual([[], []]);
  });
});
