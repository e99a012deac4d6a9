import { expect, it } from "vitest";
import { matchRank } from "./match";

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
