import { describe, expect, it } from "vitest";
import type { OrderMoment } from "@/api/types.gen";
import { lineDoing, orderDoing } from "./line-words";
import { mentionsIn, splitMentions, suggestMembers } from "./mentions";

const moment = (some: Partial<OrderMoment>): OrderMoment => ({
  id: "1",
  at: "2026-11-17T10:00:00Z",
  by_type: "user",
  what: "purchase_order_line.approved",
  lines: 6,
  data: {},
  mentions: [],
  ...some,
});

describe("an order's timeline", () => {
  it.each([
    [{}, "approved 6 lines"],
    [{ lines: 1, sku: "TEA" }, "approved TEA"],
    [{ what: "purchase_order_line.received" }, "booked receipts of 6 lines"],
    [{ what: "ingest.purchase_order_lines.received", lines: 3 }, "sent records of 3 lines"],
    [{ what: "reminder", lines: 0, text: "Where is it?" }, "reminded the supplier"],
    [{ what: "rumour", lines: 0 }, "rumour"],
    [
      {
        what: "purchase_order_line.edited",
        lines: 2,
        data: { after: { expected_arrival_date: "2026-12-24" } },
      },
      "moved 2 lines to Dec 24, 2026",
    ],
    [
      { what: "purchase_order_line.edited", lines: 2, data: { after: { expected_arrival_date: null } } },
      "cleared the expected day of 2 lines",
    ],
    [
      {
        what: "purchase_order_line.edited",
        lines: 2,
        data: { after: { expected_arrival_date: "2026-12-24", note: "x" } },
      },
      "edited 2 lines",
    ],
    [
      {
        what: "purchase_order_line.split",
        lines: 2,
        sku: "TEA",
        data: { split: { quantity: "40", expected_arrival_date: "2026-12-17" } },
      },
      "split TEA: 40 expected on Dec 17, 2026",
    ],
  ])("says of %j: %s", (some, text) => {
    expect(orderDoing(moment(some), "en")).toBe(text);
  });

  it("speaks of one line as its own history does", () => {
    expect(lineDoing("purchase_order_line.sent_back")).toBe("sent it back");
    expect(lineDoing("ingest.purchase_order_lines.received")).toBe("sent a record");
    expect(lineDoing("purchase_order_line.flags_seen")).toBe("flags seen");
    const split = { quantity: "40", expected_arrival_date: null };
    expect(lineDoing("purchase_order_line.split", { split, from: "ordered" })).toBe(
      "split it: 40 without a day",
    );
    expect(lineDoing("purchase_order_line.split", { split, from: "" })).toBe("split it off another line");
  });
});

describe("mentions", () => {
  const ana = { id: "a", name: "Ana" };
  const silva = { id: "s", name: "Ana Silva" };
  const everybody = [ana, silva, { id: "u", name: "Uwe Öz" }];

  it("finds the longest name, and no name inside a word or an address", () => {
    expect(mentionsIn("@Ana Silva and @Uwe Öz, look", everybody)).toEqual(["s", "u"]);
    expect(mentionsIn("@Ana: look, @Ana", everybody)).toEqual(["a"]);
    expect(mentionsIn("buyer@Ana.example, @Anabel", everybody)).toEqual([]);
    expect(splitMentions("Hi @Ana!", everybody).map(({ text }) => text)).toEqual(["Hi ", "@Ana", "!"]);
  });

  it("suggests members for what is typed before the caret", () => {
    const names = (text: string, caret = text.length) =>
      suggestMembers(text, caret, everybody).found.map(({ name }) => name);
    expect(names("Ask @an")).toEqual(["Ana", "Ana Silva"]);
    expect(names("Ask @sil")).toEqual(["Ana Silva"]);
    expect(names("Ask @Uwe Ö")).toEqual(["Uwe Öz"]);
    expect(names("Ask @")).toHaveLength(3);
    expect(names("mail@an")).toEqual([]);
    expect(names("@an is here")).toEqual([]);
    expect(suggestMembers("Ask @an", 7, everybody).from).toBe(4);
  });
});
