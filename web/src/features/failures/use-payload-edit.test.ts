import { expect, test } from "vitest";
import type { Attempt } from "@/api/types.gen";
import { latestKnown } from "./use-payload-edit";

const none = "00000000-0000-0000-0000-000000000000";
const attempts = (...list: [id: string, by: string][]) =>
  list.map(([id, by_id]) => ({ id, by_id })) as Attempt[]; // the newest first

test.each<[string, Attempt[], string, string]>([
  ["nothing was tried", attempts(), none, none],
  ["nothing newer", attempts(["2", "ben"], ["1", "ada"]), "2", "2"],
  ["my own newer attempts are known to me", attempts(["3", "ada"], ["2", "ada"], ["1", "ben"]), "1", "3"],
  ["somebody else's newer attempt is not", attempts(["2", "ben"], ["1", "ada"]), "1", "1"],
  [
    "mine after theirs does not tell me of theirs",
    attempts(["3", "ada"], ["2", "ben"], ["1", "ada"]),
    "1",
    "1",
  ],
  ["my first attempts", attempts(["2", "ada"], ["1", "ada"]), none, "2"],
  ["their first attempt", attempts(["1", "ben"]), none, none],
])("a payload is sent with the latest attempt that the person knows: %s", (_, all, seen, known) => {
  expect(latestKnown(all, seen, "ada")).toBe(known);
});
