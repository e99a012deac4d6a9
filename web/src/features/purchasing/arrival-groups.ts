import type { Arrivals, Contact, Line, OrderEntry } from "@/api/types.gen";
import { isDecimal, isPlausible, multiply } from "@/lib/decimal";
import { shiftDay } from "@/lib/time";
import type { Group } from "./groups";
import { addTotals, type Money, sumOf } from "./model";

const soonDays = 7;

/** The lines of a group, as the service is asked for them. */
export function spanOf(group: Group, today: string) {
  switch (group) {
    case "late":
      return { until: shiftDay(today, -1) };
    case "today":
      return { since: today, until: today };
    case "soon":
      return { since: shiftDay(today, 1), until: shiftDay(today, soonDays) };
    case "later":
      return { since: shiftDay(today, soonDays + 1) };
    case "undated":
      return { undated: true };
  }
}

/** Lines of one order that are in the same group. */
export interface Delivery {
  group: Group;
  order: string;
  /** The first day on which one of the lines is expected. */
  day: string | undefined;
  suppliers: string[];
  contact: Contact | undefined;
  lines: Line[];
  open: string;
  value: Money[];
  /** Lines that are in neither, because their quantity or price cannot be true. */
  leftOut: number;
  /** What was last said about the order. */
  said: OrderEntry | undefined;
}

/** The deliveries of a group, in the order of their lines. */
export function deliveriesOf(
  group: Group,
  { items, suppliers, said }: Omit<Arrivals, "next_cursor">,
): Delivery[] {
  const orders = new Map<string, Line[]>();
  for (const line of items) {
    const own = orders.get(line.order_no);
    if (own) own.push(line);
    else orders.set(line.order_no, [line]);
  }
  return [...orders].map(([order, lines]) => ({
    group,
    order,
    day: lines[0]?.expected_arrival_date,
    suppliers: suppliersOf(lines),
    contact: suppliers.find(({ id }) => lines.some((line) => line.supplier_id === id)),
    lines,
    open: sumOf(lines.map((line) => line.quantity_open).filter(isPlausible)),
    value: addTotals(lines.flatMap(openValue)),
    leftOut: lines.filter((line) => !believed(line)).length,
    said: said.find(({ order_no }) => order_no === order),
  }));
}

export function suppliersOf(lines: readonly Line[]): string[] {
  return [...new Set(lines.flatMap((line) => line.supplier_name ?? []))];
}

/** Whether the quantity and the price of a line can be true. */
function believed({ price_per_unit: price, quantity_open: open }: Line): boolean {
  return isPlausible(open) && (!price || (isDecimal(price) && isPlausible(multiply(open, price))));
}

/** The value of what is still to come of a line; nothing without a price. */
function openValue(line: Line): Money[] {
  const { price_per_unit: price, quantity_open: open, currency = "" } = line;
  return price && believed(line) ? [{ currency, amount: multiply(open, price) }] : [];
}

/** How many days a day is after another. */
export function daysAfter(day: string, other: string): number {
  return Math.round((Date.parse(day) - Date.parse(other)) / 86_400_000);
}

/** The day to propose instead of one that passed or was not kept: a week later, and after today. */
export function nextDay(day: string | undefined, today: string): string {
  return shiftDay(!day || day < today ? today : day, 7);
}
