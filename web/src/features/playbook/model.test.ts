import { describe, expect, it } from "vitest";
import type { ConfigKey } from "@/api/types.gen";
import { authorName, differing, draftOf, given, keyLabel, readValues, reviewDue } from "./model";
import { readPlaybook } from "./tabs";

const key = (name: string, type: ConfigKey["type"]): ConfigKey => ({
  name,
  type,
  value: 1,
  default: 1,
  planning: true,
  meaning: "",
  raising: "",
  origin: "default",
});
const keys = [key("service_level", "number"), key("monthly_budget", "amount"), key("agent_daily", "boolean")];

describe("a form of keys", () => {
  it("shows values as the locale writes them, and reads them back", () => {
    const values = { service_level: 0.95, monthly_budget: null, agent_daily: false };
    const draft = draftOf(keys, values, "de-DE");
    expect(draft).toEqual({ service_level: "0,95", monthly_budget: "", agent_daily: "false" });
    expect(readValues(keys, draft, "de-DE")).toEqual(values);
  });

  it("refuses a number that is not clear, at its field", () => {
    expect(() => readValues(keys, { service_level: "0.9.5" }, "en-GB")).toThrow(/number|mean/);
  });

  it("sends what was changed", () => {
    expect(differing({ a: 1, b: null }, { a: 1, b: 2 })).toEqual({ b: null });
    expect(given({ a: "", b: null, c: 0, d: false })).toEqual({ c: 0, d: false });
  });
});

describe("words", () => {
  it.each([
    ["stale_po_days", "Stale PO days"],
    ["over_receipt_pct", "Over receipt"],
    ["service_level", "Service level"],
  ])("%s", (name, label) => expect(keyLabel(name)).toBe(label));

  it("name authors", () => {
    const names = { user: () => "Ada", agent: () => "Night watch" };
    expect(authorName({ type: "user", id: "1" }, names)).toBe("Ada");
    expect(authorName({ type: "agent", id: "2" }, names)).toBe("Night watch");
    expect(authorName({ type: "system" }, names)).toBe("Quayside");
  });
});

describe("a review", () => {
  it.each([
    ["active", "2026-11-16", true],
    ["active", "2026-11-17", false],
    ["archived", "2026-11-16", false],
    ["active", undefined, false],
  ] as const)("of an %s SOP on %s", (status, review_date, due) =>
    expect(reviewDue({ status, ...(review_date && { review_date }) }, "2026-11-16")).toBe(due),
  );
});

describe("the address", () => {
  it("names a tab, or the first", () => {
    expect(readPlaybook({ tab: "sops" })).toEqual({ tab: "sops" });
    expect(readPlaybook({ tab: "config" })).toEqual({});
    expect(readPlaybook({ tab: 7 })).toEqual({});
  });
});
