import type { Line, Order, Total } from "@/api/types.gen";
import { add, isDecimal, multiply } from "@/lib/decimal";
import { formatNumber } from "@/lib/format";
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
  | "reopen"
  | "split";

export const statusNames: Record<LineStatus, string> = {
  draft: "Draft",
  pending_approval: "Pending approval",
  ordered: "Ordered",
  partially_received: "Partially received",
  received: "Received",
  cancelled: "Cancelled",
};

interface LineState {
  status: LineStatus;
  closedShort: boolean;
  count: number;
}

/** How many lines of an order are in each state. Lines closed short are stored as received. */
export function lineStates(order: Pick<Order, "by_status" | "closed_short">): LineState[] {
  const states: LineState[] = statuses.map((status) => ({
    status,
    closedShort: false,
    count: (order.by_status[status] ?? 0) - (status === "received" ? order.closed_short : 0),
  }));
  const short: LineState = { status: "received", closedShort: true, count: order.closed_short };
  return [...states, short].filter(({ count }) => count > 0);
}

/** The total of a line; undefined if it has no price. */
export function lineTotal(line: Pick<Line, "price_per_unit" | "quantity_ordered">): string | undefined {
  const { price_per_unit: price, quantity_ordered: quantity } = line;
  return price && isDecimal(price) && isDecimal(quantity) ? multiply(quantity, price) : undefined;
}

/** The totals of lines by currency, without cancelled lines. */
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

/** The actions that are possible on every one of the lines. */
export function sharedActions(lines: readonly Line[]): Action[] {
  const [first, ...rest] = lines;
  if (!first) return [];
  return (first.actions as Action[]).filter((action) => rest.every((line) => line.actions.includes(action)));
}

/** The lines on which an action is possible. */
export function linesFor(lines: readonly Line[], action: Action): Line[] {
  return lines.filter((line) => line.actions.includes(action));
}

export const refs = (lines: readonly Line[]) => lines.map(({ id, version }) => ({ id, version }));

/** Names the draft of a new order, or of new lines for an existing one. */
export const newLinesOf = (order?: string) => (order ? `new-lines/${order}` : "new-order");

export function isLate(line: Pick<Line, "status" | "expected_arrival_date">, today: string): boolean {
  const waits = line.status === "ordered" || line.status === "partially_received";
  return waits && line.expected_arrival_date !== undefined && line.expected_arrival_date < today;
}

/** The suppliers of an order as text; undefined if there is none yet. */
export function suppliersOf(order: Pick<Order, "suppliers" | "supplier_count">): string | undefined {
  if (order.suppliers.length === 0) return undefined;
  const more = order.supplier_count - order.suppliers.length;
  return order.suppliers.join(", ") + (more > 0 ? ` and ${more} more` : "");
}

/** The service counts orders only up to this number. */
const maxCounted = 10_000;

/** The number of orders, or "10,000+". */
export function countText(count: number, locale: string): string {
  return count < maxCounted ? formatNumber(count, locale) : `${formatNumber(maxCounted, locale)}+`;
}
