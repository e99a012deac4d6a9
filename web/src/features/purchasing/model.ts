import type { Flag, Line, Order, Total } from "@/api/types.gen";
import { add, compare, isDecimal, multiply } from "@/lib/decimal";
import { type LineStatus, statuses } from "./tabs";

export type Money = Pick<Total, "currency" | "amount">;

export type Action =
  | "edit"
  | "submit"
  | "approve"
  | "send_back"
  | "cancel"
  | "receive"
  | "close_short"
  | "correct"
  | "reopen";

export const statusNames: Record<LineStatus, string> = {
  draft: "Draft",
  pending_approval: "Pending approval",
  ordered: "Ordered",
  partially_received: "Partially received",
  received: "Received",
  cancelled: "Cancelled",
};

/** A status in the middle of a sentence. */
export function statusWord(status: string): string {
  return status.replaceAll("_", " ");
}

interface LineState {
  status: LineStatus;
  closedShort: boolean;
  count: number;
}

/** How many lines of an order stand where. What was closed short is stored as received. */
export function lineStates(order: Pick<Order, "by_status" | "closed_short">): LineState[] {
  const states: LineState[] = statuses.map((status) => ({
    status,
    closedShort: false,
    count: (order.by_status[status] ?? 0) - (status === "received" ? order.closed_short : 0),
  }));
  const short: LineState = { status: "received", closedShort: true, count: order.closed_short };
  return [...states, short].filter(({ count }) => count > 0);
}

/** What a line comes to, or undefined while it has no price. */
export function lineTotal(line: Pick<Line, "price_per_unit" | "quantity_ordered">): string | undefined {
  const { price_per_unit: price, quantity_ordered: quantity } = line;
  return price && isDecimal(price) && isDecimal(quantity) ? multiply(quantity, price) : undefined;
}

/** What lines come to, by currency; what is cancelled left out. */
export function totalsOf(lines: readonly Line[]): Money[] {
  const sums = new Map<string, string>();
  for (const line of lines) {
    const total = lineTotal(line);
    if (line.status === "cancelled" || total === undefined) continue;
    const currency = line.currency ?? "";
    sums.set(currency, add(sums.get(currency) ?? "0", total));
  }
  return addTotals([...sums].map(([currency, amount]) => ({ currency, amount })));
}

/** Sums by currency, in the order of the currencies' names. */
export function addTotals(totals: readonly Money[]): Money[] {
  const sums = new Map<string, string>();
  for (const { currency, amount } of totals) sums.set(currency, add(sums.get(currency) ?? "0", amount));
  return [...sums]
    .map(([currency, amount]) => ({ currency, amount }))
    .sort((a, b) => a.currency.localeCompare(b.currency));
}

export function sumOf(quantities: readonly string[]): string {
  return quantities.filter(isDecimal).reduce(add, "0");
}

/** What may be done with every one of the lines. */
export function sharedActions(lines: readonly Line[]): Action[] {
  const [first, ...rest] = lines;
  if (!first) return [];
  return (first.actions as Action[]).filter((action) => rest.every((line) => line.actions.includes(action)));
}

/** The lines of an order that an action is for. */
export function linesFor(lines: readonly Line[], action: Action): Line[] {
  return lines.filter((line) => line.actions.includes(action));
}

export const refs = (lines: readonly Line[]) => lines.map(({ id, version }) => ({ id, version }));

/** Names what is typed for an order: a new one, or one that gets more lines. */
export const newLinesOf = (order?: string) => (order ? `new-lines/${order}` : "new-order");

/** Today in the workspace's zone, as YYYY-MM-DD. */
export function dayIn(timeZone: string, now: Date): string {
  return new Intl.DateTimeFormat("en-CA", {
    timeZone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
  }).format(now);
}

export function isLate(line: Pick<Line, "status" | "expected_arrival_date">, today: string): boolean {
  const waits = line.status === "ordered" || line.status === "partially_received";
  return waits && line.expected_arrival_date !== undefined && line.expected_arrival_date < today;
}

/** A day of the calendar; it has no zone, so none may shift it. */
export function formatDay(day: string, locale: string, style: Intl.DateTimeFormatOptions = {}): string {
  const date = new Date(`${day}T00:00:00Z`);
  if (Number.isNaN(date.getTime())) return day;
  const options = Object.keys(style).length > 0 ? style : { day: "numeric", month: "short", year: "numeric" };
  return new Intl.DateTimeFormat(locale, {
    ...(options as Intl.DateTimeFormatOptions),
    timeZone: "UTC",
  }).format(date);
}

/** Why somebody should look at a line, in words. */
export function explainFlag(flag: Flag, line: Line): string {
  switch (flag.kind) {
    case "status_jump":
      return `An external system moved this from ${statusWord(flag.from ?? "")} to ${statusWord(flag.to ?? "")}.`;
    case "closed_short":
      return "An external system took receipts back and says that the line is received all the same.";
    case "over_received":
      return `${line.quantity_received} arrived of ${line.quantity_ordered} ordered: more than the rules let pass.`;
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

/** What somebody else changed in a line since it was seen. */
export function differences(seen: Line, now: Line): Difference[] {
  return compared
    .filter((field) => !sameValue(seen[field], now[field]))
    .map((field) => ({ field, before: seen[field] ?? "nothing", after: now[field] ?? "nothing" }));
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

/** The days of a month's grid, Monday first, filled up to whole weeks. */
export function monthGrid(month: string): string[] {
  const first = new Date(`${month}-01T00:00:00Z`);
  const start = new Date(first);
  start.setUTCDate(1 - ((first.getUTCDay() + 6) % 7));
  const days: string[] = [];
  for (const day = start; days.length % 7 !== 0 || days.length === 0 || isoDay(day).slice(0, 7) <= month; ) {
    days.push(isoDay(day));
    day.setUTCDate(day.getUTCDate() + 1);
  }
  return days;
}

export function isoDay(date: Date): string {
  return date.toISOString().slice(0, 10);
}

export function shiftMonth(month: string, by: number): string {
  const date = new Date(`${month}-01T00:00:00Z`);
  date.setUTCMonth(date.getUTCMonth() + by);
  return isoDay(date).slice(0, 7);
}

export function shiftDay(day: string, by: number): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + by);
  return isoDay(date);
}

/** Whom an order is from, in words; undefined: nobody yet. */
export function suppliersOf(order: Pick<Order, "suppliers" | "supplier_count">): string | undefined {
  if (order.suppliers.length === 0) return undefined;
  const more = order.supplier_count - order.suppliers.length;
  return order.suppliers.join(", ") + (more > 0 ? ` and ${more} more` : "");
}

/** From here on numbers of orders are not counted. */
const mostCounted = 10_000;

/** How many orders there are, or that they are very many. */
export function countText(count: number, locale: string): string {
  return count < mostCounted ? String(count) : `${mostCounted.toLocaleString(locale)}+`;
}
