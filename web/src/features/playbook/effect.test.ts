import { describe, expect, it } from "vitest";
import type { EffectCost, PlaybookEffect } from "@/api/types.gen";
import { effectText, groupNotes, isLater, isPartial, sameEffect } from "./effect";

const effect = (change: Partial<PlaybookEffect> = {}): PlaybookEffect => ({
  as_of: "2026-11-16",
  articles: 1500,
  articles_total: 1500,
  groups: [],
  costs: [],
  become_critical: 0,
  stop_critical: 0,
  changed: 20,
  largest: [],
  ...change,
});
const order = (before: number, after: number): Pick<PlaybookEffect, "groups"> => ({
  groups: [{ group: "order", before, after }],
});
const eur = (before: string, after: string): EffectCost => ({ currency: "EUR", before, after });
const usd = (before: string, after: string): EffectCost => ({ currency: "USD", before, after });

describe("the sentence", () => {
  it.each<[string, Partial<PlaybookEffect>, string]>([
    [
      "more lines and cost",
      { ...order(40, 54), costs: [eur("100.10", "3310.10")], become_critical: 3 },
      "This change adds 14 lines and €3,210.00 to what to order; 3 articles become critical.",
    ],
    [
      "fewer lines and cost",
      { ...order(3, 2), costs: [eur("0.30", "0.1")], stop_critical: 1 },
      "This change takes 1 line and €0.20 from what to order; 1 article stops being critical.",
    ],
    ["lines without a price", order(0, 2), "This change adds 2 lines to what to order."],
    ["fewer lines without a price", order(2, 0), "This change takes 2 lines from what to order."],
    ["larger orders", { ...order(4, 4), costs: [eur("1", "2")] }, "This change adds €1.00 to what to order."],
    [
      "smaller orders",
      { ...order(4, 4), costs: [eur("2", "1")] },
      "This change takes €1.00 from what to order.",
    ],
    [
      "more lines that cost less",
      { ...order(1, 3), costs: [eur("50", "40")] },
      "This change adds 2 lines to what to order and takes €10.00 from its cost.",
    ],
    [
      "fewer lines that cost more",
      { ...order(3, 2), costs: [eur("40", "50")] },
      "This change takes 1 line from what to order and adds €10.00 to its cost.",
    ],
    [
      "several currencies",
      { ...order(1, 3), costs: [eur("1", "2"), usd("0", "5")] },
      "This change adds 2 lines and €1.00 + $5.00 to what to order.",
    ],
    [
      "currencies apart",
      { costs: [eur("1", "2"), usd("5", "0")] },
      "This change adds €1.00 to what to order and takes $5.00 from its cost.",
    ],
    [
      "only urgency",
      { become_critical: 1, stop_critical: 2 },
      "This change leaves the number of lines to order and their cost as they are; 1 article becomes critical; 2 articles stop being critical.",
    ],
    [
      "only what comes later",
      { groups: [{ group: "upcoming", before: 1, after: 4 }], changed: 3 },
      "This change leaves the number of lines to order and their cost as they are; the suggestions for 3 articles change.",
    ],
    ["nothing", { changed: 0 }, "This change has no effect on what to order today."],
    [
      "no queue",
      { as_of: undefined } as object,
      "What to order has not been computed yet. There is nothing to compare with.",
    ],
  ])("tells of %s", (_, change, text) => expect(effectText(effect(change), "en-IE")).toBe(text));

  it("writes numbers as the workspace does", () => {
    const text = effectText(effect({ ...order(0, 1500), costs: [eur("0", "1234.5")] }), "de-DE");
    expect(text).toBe("This change adds 1.500 lines and 1.234,50\u00a0€ to what to order.");
  });
});

describe("beside the sentence", () => {
  it("are the other groups that change", () => {
    const groups: PlaybookEffect["groups"] = [
      { group: "order", before: 1, after: 2 },
      { group: "expedite", before: 1, after: 1 },
      { group: "upcoming", before: 1, after: 4 },
      { group: "put_off", before: 2, after: 0 },
    ];
    expect(groupNotes(effect({ groups }), "en-IE")).toEqual(["Upcoming: 3 more", "Put off: 2 fewer"]);
  });

  it("is whether articles are missing", () => {
    expect(isPartial(effect())).toBe(false);
    expect(isPartial(effect({ articles: 500 }))).toBe(true);
  });

  it("is whether the change is in force later", () => {
    expect(isLater({ status: "draft" }, effect())).toBe(true);
    expect(isLater({ status: "active", effective_from: "2026-11-16" }, effect())).toBe(false);
    expect(isLater({ effective_from: "2026-11-17" }, effect())).toBe(true);
    expect(isLater({}, effect())).toBe(false);
  });
});

describe("a preview", () => {
  it.each([
    [{ note: "why", title: "a", body: "b" }, true],
    [{ cover_days: "31" }, false],
    [{ effective_until: "2026-12-01" }, false],
  ])("of a form in which %o was typed since counts: %s", (typed, counts) => {
    const before = { cover_days: "30", note: "", title: "", body: "", effective_until: "" };
    expect(sameEffect(before, { ...before, ...typed })).toBe(counts);
  });
});
