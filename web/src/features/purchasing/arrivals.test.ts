import { describe, expect, it } from "vitest";
import type { Line } from "@/api/types.gen";
import { type Delivery, daysAfter, deliveriesOf, nextDay, spanOf } from "./arrival-groups";
import { groups, isGroup } from "./groups";
import { maxText, reminder } from "./reminder";

const today = "2026-11-17";

const line = (some: Partial<Line>) =>
  ({
    id: "1",
    order_no: "PO-1",
    sku: "TEA",
    product_name: "Green tea",
    supplier_id: "s1",
    supplier_name: "Tea House",
    quantity_open: "10",
    price_per_unit: "2.50",
    currency: "EUR",
    expected_arrival_date: "2026-11-05",
    ...some,
  }) as Line;

describe("groups", () => {
  it("follow each other without a gap or an overlap", () => {
    const spans = groups.map((group) => spanOf(group, today));
    expect(spans).toEqual([
      { until: "2026-11-16" },
      { since: "2026-11-17", until: "2026-11-17" },
      { since: "2026-11-18", until: "2026-11-24" },
      { since: "2026-11-25" },
      { undated: true },
    ]);
    expect(isGroup("late") && !isGroup("never")).toBe(true);
  });

  it("have one row for an order, with its first day, what is open and what was said", () => {
    const said = {
      id: "e",
      order_no: "PO-1",
      kind: "call" as const,
      by_type: "user",
      text: "Monday",
      mentions: [],
      at: "2026-11-16T10:00:00Z",
    };
    const contact = { id: "s1", name: "Tea House", phone: "+49 30 1" };
    const rows = deliveriesOf("late", {
      items: [
        line({}),
        line({ id: "2", order_no: "PO-2", supplier_id: undefined, price_per_unit: undefined }),
        line({ id: "3", expected_arrival_date: "2026-11-07", quantity_open: "0.5", currency: "USD" }),
      ],
      suppliers: [contact],
      said: [said],
    });
    expect(rows.map(({ order, day, lines, open }) => [order, day, lines.length, open])).toEqual([
      ["PO-1", "2026-11-05", 2, "10.5"],
      ["PO-2", "2026-11-05", 1, "10"],
    ]);
    expect(rows[0]).toMatchObject({ said, contact, suppliers: ["Tea House"] });
    expect(rows[0]?.value.map(({ currency, amount }) => `${currency} ${Number(amount)}`)).toEqual([
      "EUR 25",
      "USD 1.25",
    ]);
    expect(rows[1]).toMatchObject({ said: undefined, contact: undefined, value: [] });
  });

  it("count days across the change of clocks, and propose a day after today", () => {
    expect(daysAfter("2026-11-05", "2026-10-20")).toBe(16);
    expect(nextDay("2026-11-05", today)).toBe("2026-11-24");
    expect(nextDay("2026-11-30", today)).toBe("2026-12-07");
    expect(nextDay(undefined, today)).toBe("2026-11-24");
  });
});

describe("a reminder", () => {
  const delivery = (some: Partial<Delivery> = {}) => ({
    group: "late" as const,
    order: "PO-1",
    day: "2026-11-05",
    lines: [line({ quantity_open: "1200.5" })],
    contact: { id: "s1", name: "Tea House", contact_name: "Ms Berg" },
    ...some,
  });

  it("names the order, what is open and the promised day, in both languages", () => {
    const english = reminder(delivery(), "en", "Ana, Acme");
    expect(english.subject).toBe("Order PO-1: when will it arrive?");
    expect(english.text).toBe(
      "Hello Ms Berg,\n\nour order PO-1 was due on 5 November 2026 and has not fully arrived.\n\n" +
        "Still open:\n- 1,200.5 × Green tea (TEA)\n\nWhen will it arrive? Please name a new date.\n\nKind regards\nAna, Acme",
    );
    const german = reminder(delivery({ contact: undefined }), "de", "Ana, Acme").text;
    expect(german).toContain("Guten Tag,\n\nunsere Bestellung PO-1 war für den 5. November 2026 zugesagt");
    expect(german).toContain("- 1.200,5 × Green tea (TEA)");
  });

  it("asks differently before the day and without one", () => {
    expect(reminder(delivery({ group: "soon" }), "en", "").text).toContain("Will it arrive on that day?");
    expect(reminder(delivery({ group: "undated", day: undefined }), "de", "").text).toContain(
      "noch kein Liefertermin",
    );
  });

  it("stays short enough for the log and for mail programs", () => {
    const lines = Array.from({ length: 300 }, (_, n) =>
      line({ id: String(n), product_name: "x".repeat(200) }),
    );
    const { text } = reminder(delivery({ lines }), "en", "Ana");
    expect(text.length).toBeLessThan(maxText);
    expect(text).toContain("- and 288 more");
    expect(text).toContain("Kind regards");
  });
});
