import type { Flag, Line } from "@/api/types.gen";
import { compare, isDecimal } from "@/lib/decimal";
import { formatNumber } from "@/lib/format";
import { formatDay } from "@/lib/time";
import type { LineStatus } from "./tabs";

/** A status in the middle of a sentence. */
export function statusWord(status: string): string {
  return status.replaceAll("_", " ");
}

/** Why somebody should look at a line, in words. */
export function explainFlag(flag: Flag, line: Line, locale: string): string {
  const shown = (quantity: string) => formatNumber(quantity, locale);
  switch (flag.kind) {
    case "status_jump":
      return `An external system moved this from ${statusWord(flag.from ?? "")} to ${statusWord(flag.to ?? "")}.`;
    case "closed_short":
      return "An external system took receipts back and says that the line is received all the same.";
    case "over_received":
      return `${shown(line.quantity_received)} arrived of ${shown(line.quantity_ordered)} ordered: more than the rules let pass.`;
    case "changed":
      return line.status === "pending_approval"
        ? "An external system changed it after it was submitted. Send it back, so that it is submitted as it is now."
        : "Its amount is not what was approved: an external system changed it.";
    case "unresolved":
      return `No article has the SKU ${line.sku}, or several have.`;
  }
}

const fieldNames: Record<string, string> = {
  order_no: "Order number",
  sku: "SKU",
  status: "Status",
  quantity_ordered: "Quantity ordered",
  quantity_received: "Quantity received",
  price_per_unit: "Price",
  currency: "Currency",
  expected_arrival_date: "Expected arrival",
  note: "Note",
  supplier_id: "Supplier",
  supplier_name: "Supplier",
  product_id: "Product",
};

export function fieldName(field: string): string {
  return fieldNames[field] ?? field.replaceAll("_", " ");
}

export interface Difference {
  field: string;
  before: string;
  after: string;
}

const compared = [
  "status",
  "sku",
  "supplier_name",
  "quantity_ordered",
  "quantity_received",
  "price_per_unit",
  "currency",
  "expected_arrival_date",
  "note",
] as const satisfies readonly (keyof Line)[];

const decimals = new Set(["quantity_ordered", "quantity_received", "price_per_unit"]);

/** A line's value as people read it, exact; empty for none. */
export function fieldText(field: string, value: unknown, locale: string): string {
  const text = String(value ?? "");
  if (decimals.has(field)) return formatNumber(text, locale, { digits: (text.split(".")[1] ?? "").length });
  if (field === "expected_arrival_date") return formatDay(text, locale);
  return field === "status" ? statusWord(text) : text;
}

/** What somebody else changed in a line since it was seen. */
export function differences(seen: Line, now: Line, locale: string): Difference[] {
  const shown = (line: Line, field: keyof Line) => fieldText(field, line[field], locale) || "nothing";
  return compared
    .filter((field) => !sameValue(seen[field], now[field]))
    .map((field) => ({ field, before: shown(seen, field), after: shown(now, field) }));
}

function sameValue(a: string | undefined, b: string | undefined): boolean {
  if (a === b) return true;
  return a !== undefined && b !== undefined && isDecimal(a) && isDecimal(b) && compare(a, b) === 0;
}

/** Fields whose change means another amount, and so another approval. */
const material = new Set(["quantity_ordered", "price_per_unit", "currency", "supplier_id"]);

/** What saving a field will do besides, before it is done. */
export function editWarning(status: LineStatus, field: string): string | undefined {
  if (!material.has(field)) return undefined;
  if (status === "pending_approval") return "This sends the line back to draft; it must be submitted again.";
  if (status === "ordered") return "More than the rules allow sends the line back for approval.";
  return undefined;
}

/** Fields that can be changed where a line stands. */
export function editable(line: Line, field: string): boolean {
  if (!line.actions.includes("edit")) return false;
  return field === "note" || (line.status !== "received" && line.status !== "cancelled");
}
