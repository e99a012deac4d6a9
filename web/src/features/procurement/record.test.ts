import { describe, expect, it } from "vitest";
import type { Suggestion, TrackRecordFigures } from "@/api/types.gen";
import { procurementAgent } from "@/lib/agents";
import { casesOf, readCaseSearch, readRecordSearch } from "./record-search";
import {
  badgesOf,
  buyerName,
  causeWords,
  groupName,
  judgedWords,
  notOrderedSum,
  notOrderedWords,
  orderedWords,
} from "./record-words";

const figures: TrackRecordFigures = {
  suggested: 12,
  as_suggested: 5,
  less: 1,
  more: 0,
  turned_down: 3,
  put_off: 0,
  undecided: 2,
  taken_back: 1,
  judged: 8,
  not_known: 0,
  prevented: 4,
  ran_out: 2,
  empty_days: { too_late: 1, waiting: 0, supplier: 3, too_few: 0 },
  overbought: 0,
  overbuy: [],
};

describe("the address of the track record", () => {
  it("keeps what is valid", () => {
    expect(readRecordSearch({ by: "month", from: "2027-01-02", to: "soon" })).toEqual({
      by: "month",
      from: "2027-01-02",
    });
    expect(readRecordSearch({ by: "buyer" })).toEqual({});
    expect(readCaseSearch({ buyer: "user:1-2", supplier: "a b", outcome: "good", pages: 3 })).toEqual({
      buyer: "user:1-2",
      pages: 3,
    });
  });

  it("leads from a group to its cases", () => {
    const span = { from: "2027-01-10", to: undefined };
    expect(casesOf("buyer", "nobody", span)).toEqual({ ...span, buyer: "nobody" });
    expect(casesOf("month", "2027-01", span)).toEqual({ from: "2027-01-10", to: "2027-01-31" });
    expect(casesOf("month", "2028-02", { to: "2028-02-05" })).toEqual({
      from: "2028-02-01",
      to: "2028-02-05",
    });
    expect(casesOf("month", "2028-02", {}).to).toBe("2028-02-29");
  });
});

describe("words of the track record", () => {
  it("name what there is, and nothing else", () => {
    expect(orderedWords(figures, "en")).toBe("5 as suggested, 1 fewer");
    expect(notOrderedSum(figures)).toBe(6);
    expect(notOrderedWords(figures, "en")).toBe("3 turned down, 2 undecided, 1 taken back");
    expect(causeWords(figures.empty_days, "en")).toBe("1 too late to help, 3 waiting for the supplier");
  });

  it("do not count the unknown as judged", () => {
    expect(judgedWords(figures, "en")).toBe("of 8 judged so far");
    expect(judgedWords({ ...figures, not_known: 2 }, "en")).toBe("of 8 judged so far; 2 not known");
    expect(judgedWords({ ...figures, judged: 0 }, "en")).toBe("no day has passed yet");
  });

  it("name groups", () => {
    expect(buyerName(undefined, "me")).toBe("Nobody yet");
    expect(buyerName({ type: "user", id: "me", name: "Anna" }, "me")).toBe("You");
    expect(buyerName({ type: "user", id: "gone" }, "me")).toBe("A former member");
    expect(buyerName({ type: "agent", id: procurementAgent }, "me")).toBe("Procurement agent");
    expect(groupName("month", { group: "2027-03", figures }, "me", "en")).toBe("March 2027");
    expect(groupName("supplier", { group: "none", figures }, "me", "en")).toBe("No supplier");
  });

  it("mark cases", () => {
    const one = { known: true, prevented_on: "2027-03-02", overbuy_quantity: 0 } as Suggestion;
    expect(badgesOf(one)).toEqual(["prevented"]);
    expect(badgesOf({ ...one, empty_from: "2027-03-01", overbuy_quantity: 2 })).toEqual([
      "prevented",
      "empty",
      "overbuy",
    ]);
    expect(badgesOf({ ...one, known: false })).toEqual(["not_known"]);
  });
});
