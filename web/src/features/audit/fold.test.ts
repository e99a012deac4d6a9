import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { AuditEntry } from "@/api/types.gen";
import { fold, foldedLines, foldedReads, lineOf } from "./fold";

let count = 0;
function entry(given: Partial<AuditEntry>): AuditEntry {
  count += 1;
  return {
    id: String(count),
    at: "2026-11-17T10:00:00Z",
    by_type: "user",
    by_id: "ada",
    action: "purchase_order_line.approved",
    subject: `line ${count}`,
    request_id: "r1",
    data: {},
    ...given,
  } as AuditEntry;
}
const line = (
  order_no: string,
  quantity_ordered: string,
  price_per_unit: string | null,
  currency = "GBP",
) => ({
  line: { order_no, sku: "TEA", quantity_ordered, price_per_unit, currency },
});
const groups = (entries: AuditEntry[]) => fold(entries).map(({ all }) => all.length);

describe("fold", () => {
  it("makes one row of the lines of an order that one request changed", () => {
    const lines = [line("PO-1", "2", "350.10"), line("PO-1", "1", "0.35")].map((data) => entry({ data }));
    expect(groups(lines)).toEqual([2]);
    expect(foldedLines(lines, "en-GB", true)).toBe(", 2 lines, £700.55");
  });
  it.each<[string, Partial<AuditEntry>]>([
    ["another order", { data: line("PO-2", "1", "1") }],
    ["another request", { data: line("PO-1", "1", "1"), request_id: "r2" }],
    ["another action", { data: line("PO-1", "1", "1"), action: "purchase_order_line.submitted" }],
    ["another actor", { data: line("PO-1", "1", "1"), by_id: "grace" }],
    ["another reason", { data: { ...line("PO-1", "1", "1"), reason: "late" } }],
    ["an entry that does not say its order", {}],
  ])("keeps %s apart", (_, given) => {
    expect(groups([entry({ data: line("PO-1", "1", "1") }), entry(given)])).toEqual([1, 1]);
  });
  it("folds away what agents read, and nothing that they changed or were refused", () => {
    const call = (subject: string, data = {}) =>
      entry({
        by_type: "agent",
        by_id: "a",
        action: "tool.called",
        subject,
        request_id: String(count),
        data,
      });
    const read = entry({
      by_type: "agent",
      by_id: "a",
      action: "resource.read",
      subject: "quayside://sops/",
    });
    const entries = [
      call("data_query"),
      read,
      call("procurement_draft_create"),
      call("data_query"),
      call("data_query", { refused: "scope" }),
    ];
    expect(groups(entries)).toEqual([2, 1, 1, 1]);
    expect(foldedReads(fold(entries)[0]?.all ?? [], "en-GB")).toBe("read 2 times");
    expect(foldedReads(fold(entries)[2]?.all ?? [], "en-GB")).toBeUndefined();
  });
});

it("folds no tool that changes something", () => {
  const folder = new URL("../../../../internal/mcpserver/", import.meta.url);
  const code = readdirSync(folder)
    .filter((file) => file.endsWith(".go") && !file.endsWith("_test.go"))
    .map((file) => readFileSync(new URL(file, folder), "utf8"))
    .join("\n");
  const changing = [...code.matchAll(/name: "(\w+)", title: [^\n]*changes: true/g)].map(
    ([, name = ""]) => name,
  );
  expect(changing).toContain("procurement_draft_create");
  for (const subject of changing) {
    const call = () => entry({ by_type: "agent", action: "tool.called", subject });
    expect(groups([call(), call()]), subject).toEqual([1, 1]);
  }
});

describe("foldedLines", () => {
  it("names the article of one line", () => {
    expect(foldedLines([entry({ data: line("PO-1", "2", "1.50") })], "en-GB", true)).toBe(", TEA, £3");
  });
  it("says no amount that is not known, or of two currencies", () => {
    const lines = (...data: object[]) => data.map((one) => entry({ data: one as AuditEntry["data"] }));
    expect(foldedLines(lines(line("P", "2", "1"), line("P", "2", null)), "en-GB", true)).toBe(", 2 lines");
    expect(foldedLines(lines(line("P", "2", "1"), line("P", "2", "1", "EUR")), "en-GB", true)).toBe(
      ", 2 lines",
    );
    expect(foldedLines(lines(line("P", "2", "1")), "en-GB", false)).toBe(", TEA");
  });
  it("leaves old entries as they are", () => {
    expect(lineOf(entry({ data: { from: "draft", to: "ordered" } }))).toBeUndefined();
    expect(groups([entry({}), entry({})])).toEqual([1, 1]);
  });
});
