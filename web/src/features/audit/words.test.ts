import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { AuditEntry } from "@/api/types.gen";
import { procurementAgent } from "@/lib/agents";
import { targetOf } from "./targets";
import { actionLabel, actorLabel, actorName, knownActions, subjectName, tell, tellOrder } from "./words";

describe("what was done to an order", () => {
  const approved = {
    action: "purchase_order_line.approved",
    data: {
      line: {
        order_no: "PO-1001",
        sku: "TEA",
        quantity_ordered: "2",
        price_per_unit: "3.5",
        currency: "GBP",
      },
    },
  } as unknown as AuditEntry;
  it("names it, what was on it, and for how much", () => {
    expect(tellOrder([approved], "en-GB")).toEqual(["approved a line of", "PO-1001", ", TEA, £7"]);
    const other = { ...approved, subject: "other" };
    expect(tellOrder([approved, other], "en-GB")).toEqual(["approved", "PO-1001", ", 2 lines, £14"]);
  });
  it("says what a receipt was worth, and what was split off", () => {
    const receipt = {
      ...approved,
      action: "purchase_order_line.received",
      data: { ...approved.data, before: { quantity_received: "0" }, after: { quantity_received: "1" } },
    };
    expect(tellOrder([receipt], "en-GB")).toEqual([
      "booked a receipt of a line of",
      "PO-1001",
      ", TEA, £3.50",
    ]);
    const split = { quantity: "40", expected_arrival_date: "2026-12-17" };
    const parted = { ...approved, action: "purchase_order_line.split", data: { ...approved.data, split } };
    expect(tellOrder([parted, parted], "en-GB")).toEqual([
      "split a line of",
      "PO-1001",
      ", TEA: 40 expected on 17 Dec 2026",
    ]);
  });
  it("is told as before if the entry does not say", () => {
    expect(tellOrder([{ ...approved, data: {} }], "en-GB")).toBeUndefined();
    expect(tell({ ...approved, data: { reason: "late" } }, "en-GB")).toBe(
      "approved a purchase order line: late",
    );
  });
});

describe("what was done", () => {
  it.each([
    [
      "connection.changed",
      {
        name: "Katana",
        token: true,
        from: { name: "Katana", may_load: true, calls_per_minute: 60 },
        to: { name: "Katana", may_load: false, calls_per_minute: 30 },
      },
      "changed the connection “Katana” and its token: load yes → no, calls a minute 60 → 30",
    ],
    [
      "connection.tested",
      { name: "Katana", passed: false, failure: "it refuses the token" },
      "tested the connection “Katana”: it refuses the token",
    ],
    [
      "exchange_conflict.decided",
      {
        name: "Katana",
        decisions: [
          { sku: "TEA", field: "price", take: "ours", ours: "2.50", theirs: "3" },
          { sku: "OIL", field: "supplier", take: "theirs", ours: "Northern Mills", theirs: "" },
        ],
      },
      "decided what counts in the order data_query, here or in “Katana”: TEA price ours, 2.50, not 3; OIL supplier theirs, none, not Northern Mills",
    ],
    ["exchange_orders.retried", { name: "Katana", orders: 2 }, "compared 2 orders with “Katana” again"],
    [
      "key.issued",
      { label: "Till 3", scope: "*", order_drafted_here: false },
      "created the API key “Till 3” for every table",
    ],
    [
      "key.issued",
      { label: "ERP", scope: "purchase_order_lines", order_drafted_here: true },
      "created the API key “ERP” for purchase_order_lines, which may order what was drafted here",
    ],
    [
      "key.rotated",
      { label: "Till 3", overlap_hours: 0 },
      "rotated the API key “Till 3”; the old one ended at once",
    ],
    [
      "key.rotated",
      { label: "A", overlap_hours: 1 },
      "rotated the API key “A”; the old one works for 1 hour more",
    ],
    [
      "key.rotated",
      { label: "A", overlap_hours: 24 },
      "rotated the API key “A”; the old one works for 24 hours more",
    ],
    [
      "key.rotated",
      { label: "A", overlap_hours: 168 },
      "rotated the API key “A”; the old one works for 7 days more",
    ],
    [
      "member.role_changed",
      { name: "Grace", from: "buyer", to: "company_admin" },
      "changed the role of Grace from Buyer to Company-Admin",
    ],
    ["member.password_changed", { how: "link" }, "chose a new password with a link"],
    [
      "member.password_changed",
      { how: "link", tokens_ended: 2 },
      "chose a new password with a link and ended 2 tokens",
    ],
    ["session.started", { how: "password", address: "192.0.2.1" }, "signed in from 192.0.2.1"],
    ["session.refused", { email: "ada@example.com" }, "refused a wrong password for ada@example.com"],
    ["table.exported", { filtered: true }, "exported filtered rows of the table data_query"],
    [
      "purchasing_rules.changed",
      {
        from: { four_eyes: true, reapproval_percent: "5" },
        to: { four_eyes: false, reapproval_percent: "5" },
      },
      "changed the purchasing rules: four eyes yes → no",
    ],
    [
      "procurement_config.changed",
      { from: { cover_days: 30 }, to: { cover_days: 45 } },
      "changed the purchasing config: cover days",
    ],
    ["strategy.changed", { from: null, title: "Tea" }, "created the strategy “Tea”"],
    ["sop.changed", { from: {}, title: "Late" }, "changed the SOP “Late”"],
    [
      "approval_limit.changed",
      { from: { amount: "70", currency: "EUR" }, to: { amount: "5000", currency: "EUR" } },
      "set the approval limit of data_query: 5,000 EUR, before 70 EUR",
    ],
    [
      "approval_limit.changed",
      { from: { amount: "70", currency: "EUR" }, to: null },
      "lifted the approval limit of data_query, 70 EUR",
    ],
    [
      "approval_limit.changed",
      { amount: "5", currency: "EUR" },
      "set the approval limit of data_query: 5 EUR",
    ],
    ["recommendation.dismissed", { reason: "no" }, "dismissed the suggestion to order data_query: “no”"],
    [
      "recommendation.snoozed",
      { until: "2026-12-17" },
      "put the suggestion to order data_query off until Dec 17, 2026",
    ],
    [
      "workspace.changed",
      {
        from: { name: "Main", time_zone: "UTC", locale: "en" },
        to: { name: "Shop", time_zone: "Europe/Berlin", locale: "en" },
      },
      "changed the workspace “Main”: name Main → Shop, time zone UTC → Europe/Berlin",
    ],
    [
      "workspace.changed",
      { from: { name: "Main", week_start: "monday" }, to: { name: "Main", week_start: "sunday" } },
      "changed the workspace “Main”: week start Monday → Sunday",
    ],
    ["failure.retried", { edited: true, answer: "created" }, "retried a failed import, edited: stored"],
    ["failure.retried", { edited: false, answer: "required" }, "retried a failed import: refused, required"],
    ["bulk_retry.started", { total: 1, fixes: 0 }, "started to retry 1 failed import"],
    ["purchase_order_line.sent_back", { reason: "too dear" }, "sent back a purchase order line: too dear"],
    [
      "token.issued",
      { label: "Claude", scopes: ["read", "failed_imports"], user: "u" },
      "created the token “Claude” for themselves: read, failed imports",
    ],
    [
      "token.issued",
      { label: "Reorder", scopes: ["write"], agent: "a" },
      "created the token “Reorder” for an agent: write",
    ],
    ["token.revoked", { label: "Claude" }, "revoked the token “Claude”"],
    ["agent_run.started", { dry: false }, "started the procurement agent"],
    ["agent_run.started", { dry: true }, "started a dry run of the procurement agent"],
    ["agent_run.ended", { status: "done" }, "ended its run"],
    [
      "agent_run.ended",
      { status: "failed", message: "the queue was not computed within 15 minutes" },
      "gave up its run: the queue was not computed within 15 minutes",
    ],
    ["agent_run.undone", { lines: 12 }, "undid a run of the procurement agent: 12 lines"],
    ["agent_run.undone", { lines: 1 }, "undid a run of the procurement agent: 1 line"],
    ["tool.called", { run: "r" }, "called the tool data_query"],
    ["tool.called", { refused: "missing_scope" }, "called the tool data_query: refused, missing_scope"],
    ["resource.read", { refused: "missing_scope" }, "read the resource data_query: refused, missing_scope"],
    ["line.approved_late", {}, "line approved late"],
  ])("%s", (action, data, words) => {
    expect(tell({ action, data, subject: "data_query" }, "en")).toBe(words);
  });

  it("has numbers as the workspace writes them", () => {
    const to = { amount: "12500.50", currency: "EUR" };
    const set = { action: "approval_limit.changed", data: { to }, subject: "" };
    expect(tell(set, "de-DE")).toBe("set an approval limit: 12.500,50 EUR");
    const rules = { from: { over_receipt_percent: "2.5" }, to: { over_receipt_percent: "10" } };
    const changed = { action: "purchasing_rules.changed", data: rules, subject: "" };
    expect(tell(changed, "de-DE")).toBe("changed the purchasing rules: over-receipt % 2,5 → 10");
    const started = { action: "bulk_retry.started", data: { total: 1500 }, subject: "" };
    expect(tell(started, "de-DE")).toBe("started to retry 1.500 failed imports");
  });

  it("is told of every action without anything to tell", () => {
    for (const action of knownActions) {
      expect(tell({ action, data: {}, subject: "" }, "en")).not.toContain("undefined");
      expect(actionLabel(action)).not.toContain(".");
    }
  });

  it("knows every action that the service notes", () => {
    const service = new URL("../../../../internal/", import.meta.url);
    const noted = readdirSync(service, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".go") && !file.endsWith("_test.go"))
      .map((file) => readFileSync(new URL(file, service), "utf8"))
      .filter((code) => code.includes("audit.Record("))
      .flatMap((code) => [...code.matchAll(/"([a-z_]+\.[a-z_]+)"/g)].map((found) => found[1] ?? ""));
    // These two put their actions together.
    const code = (file: string) => readFileSync(new URL(file, service), "utf8");
    const [, past = ""] = /var pastTense = [^{]*\{([^}]*)\}/.exec(code("purchase/table.go")) ?? [];
    const verbs = [...past.matchAll(/"([a-z_]+)"/g)].map(([, verb]) => `purchase_order_line.${verb}`);
    const kinds = [...code("procure/key.go").matchAll(/(?:Dismissed|Snoozed) += "([a-z]+)"/g)];
    const offs = kinds.map(([, kind]) => `recommendation.${kind}`);
    expect(noted.length).toBeGreaterThan(12);
    expect([verbs.length, offs.length]).toEqual([11, 2]);
    for (const action of [...noted, ...verbs, ...offs]) expect(knownActions).toContain(action);
  });

  it("leads to what it speaks of", () => {
    const data = {
      label: "L",
      name: "A",
      email: "A",
      title: "T",
      file: "F",
      table: "A",
      external_id: "A",
      reason: "",
      from: { name: "A" },
      to: { amount: "1" },
    };
    const led = knownActions.filter((action) => {
      const entry = { action, data, subject: "A", subject_name: "A" };
      const words = targetOf(entry, "w")?.words;
      return words && tell(entry, "en").includes(words);
    });
    const kinds = new Set(led.map((action) => action.split(".")[0]));
    // Lines and runs have their own links; the others have no page.
    expect(
      [...new Set(knownActions.map((action) => action.split(".")[0]))].filter((kind) => !kinds.has(kind)),
    ).toEqual([
      "company",
      "column",
      "exchange_orders",
      "tool",
      "resource",
      "session",
      "purchase_order_line",
      "order_receiver",
      "agent_run",
    ]);
  });
});

it("names who did it, or what they are", () => {
  expect(actorName({ by_type: "user", by_name: "Ada" })).toBe("Ada");
  expect(actorName({ by_type: "user" })).toBe("A former member");
  expect(actorName({ by_type: "operator" })).toBe("Command line");
  expect(actorName({ by_type: "agent", by_id: procurementAgent })).toBe("Procurement agent");
  expect(actorName({ by_type: "agent", by_id: "a" })).toBe("An agent");
  expect(actorName({ by_type: "sync", by_id: "c", by_name: "Katana sync" })).toBe("Katana sync");
  expect(actorName({ by_type: "sync", by_id: "c" })).toBe("A sync");
  expect(actorLabel(procurementAgent)).toBe("Procurement agent");
  expect(actorLabel("agent")).toBe("An agent");
});

it("names what it was done to, or the end of its id", () => {
  const subject = "0190f1de-6a3b-7c21-9d2e-3f4a5b6c7d8e";
  expect(subjectName({ subject, data: { label: "Till 3", name: "x" } })).toBe("Till 3");
  expect(subjectName({ subject, data: { to: { name: "Shop" } } })).toBe("Shop");
  expect(subjectName({ subject, data: {} })).toBe("…5b6c7d8e");
  expect(subjectName({ subject, data: {}, by_id: subject, by_name: "Ada" })).toBe("Ada");
  expect(subjectName({ subject: "data_query", data: {} })).toBe("data_query");
});
