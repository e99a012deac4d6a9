import type { Confirmation, Flag, Line, OrderMail, OrderMoment } from "@/api/types.gen";
import { compare, isDecimal } from "@/lib/decimal";
import { formatNumber } from "@/lib/format";
import { formatDay } from "@/lib/time";
import { linesConfirmed, linesMoved, linesTo } from "@/messages/purchasing";
import { mailState } from "./sent-words";
import type { LineStatus } from "./tabs";

/** A status in lower case, for use inside a sentence. */
export function statusWord(status: string): string {
  return status.replaceAll("_", " ");
}

/** Explains a flag of a line. */
export function explainFlag(flag: Flag, line: Line, locale: string): string {
  const shown = (quantity: string) => formatNumber(quantity, locale);
  switch (flag.kind) {
    case "status_jump":
      return `An external system moved this from ${statusWord(flag.from ?? "")} to ${statusWord(flag.to ?? "")}.`;
    case "closed_short":
      return "An external system reversed receipts but still reports the line as received.";
    case "below_receipts":
      return `An external system says that ${shown(flag.claimed ?? "0")} arrived: less than people have booked here.`;
    case "above_approval":
      return "An external system changed it beyond its approval. It cannot go back for approval, because something has arrived.";
    case "over_received":
      return `${shown(line.quantity_received)} arrived of ${shown(line.quantity_ordered)} ordered: more than the rules allow.`;
    case "changed":
      return line.status === "pending_approval"
        ? "An external system changed it after it was submitted. Send it back, so that it is submitted as it is now."
        : "Its amount is not what was approved: an external system changed it.";
    case "unresolved":
      return `No article, or more than one, has the SKU ${line.sku}.`;
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

/** Formats a value of a line, without rounding; empty for no value. */
export function fieldText(field: string, value: unknown, locale: string): string {
  const text = String(value ?? "");
  if (decimals.has(field)) return formatNumber(text, locale, { digits: (text.split(".")[1] ?? "").length });
  if (field === "expected_arrival_date") return formatDay(text, locale);
  return field === "status" ? statusWord(text) : text;
}

/** The differences between the line that the person saw and the current one. */
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

/** Fields whose change needs a new approval, because it changes the amount. */
const material = new Set(["quantity_ordered", "price_per_unit", "currency", "supplier_id"]);

/** Warns of a side effect of saving a field. */
export function editWarning(status: LineStatus, field: string): string | undefined {
  if (!material.has(field)) return undefined;
  if (status === "pending_approval") return "This sends the line back to draft; it must be submitted again.";
  if (status === "ordered") return "A rise beyond the rules sends the line back for approval.";
  return undefined;
}

/** Fields that can be edited in place. */
export function editable(line: Line, field: string): boolean {
  if (!line.actions.includes("edit")) return false;
  return field === "note" || (line.status !== "received" && line.status !== "cancelled");
}

/** What was done: to a line that is already named, and to lines that follow. */
const doings: Record<string, [it: string, some: string]> = {
  created: ["drafted it", "drafted"],
  edited: ["edited it", "edited"],
  submitted: ["submitted it for approval", "submitted"],
  approved: ["approved it", "approved"],
  sent_back: ["sent it back", "sent back"],
  cancelled: ["cancelled it", "cancelled"],
  received: ["booked a receipt", "booked receipts of"],
  closed_short: ["closed it short", "closed short"],
  corrected: ["corrected what arrived", "corrected receipts of"],
  reopened: ["reopened it", "reopened"],
  split: ["split it", "split"],
};

/** The verb of an action such as purchase_order_line.approved. */
export const verbOf = (what: string) => what.split(".").at(-1) ?? "";

export const isIngest = (what: string) => what.startsWith("ingest.");

/** What a moment's data tells of a change, and why it was made. */
export interface Told {
  from?: string;
  to?: string;
  before?: Record<string, unknown>;
  after?: Record<string, unknown>;
  reason?: string;
  self_approved?: boolean;
  split?: { quantity: string; expected_arrival_date: string | null };
  run?: string;
}

/** What was split off a line. */
export function splitText(split: NonNullable<Told["split"]>, locale: string): string {
  const day = split.expected_arrival_date;
  const when = day ? `expected on ${formatDay(day, locale)}` : "without a day";
  return `${formatNumber(split.quantity, locale)} ${when}`;
}

/** What was done to one line; follows the actor's name. */
export function lineDoing(what: string, { split, from }: Told = {}, locale = "en"): string {
  const verb = verbOf(what);
  if (split) return from ? `split it: ${splitText(split, locale)}` : "split it off another line";
  return isIngest(what) ? "sent a record" : (doings[verb]?.[0] ?? statusWord(verb));
}

const entryDoings: Record<string, string> = {
  comment: "commented",
  call: "called the supplier",
  reminder: "reminded the supplier",
};

export const toldBy = ({ data }: { data: unknown }) => (data ?? {}) as Told;

/** What the timeline knows of a mail. */
export const mailOf = ({ data }: { data: unknown }) => data as MailTold;

/** What the timeline knows of a confirmation. */
export const confirmationOf = ({ data }: { data: unknown }) => data as Confirmation;

type MailTold = Parameters<typeof mailState>[0] & Pick<OrderMail, "subject" | "cc">;

/** What was done to an order's lines, or said about it; follows the actor's name. */
export function orderDoing(moment: OrderMoment, locale: string): string {
  const { what, lines, sku } = moment;
  if (what === "confirmation") {
    const { lines: count, reference } = confirmationOf(moment);
    return linesConfirmed({ count }, locale) + (reference ? `, reference ${reference}` : "");
  }
  if (what === "sent") return mailState(mailOf(moment)).told;
  if (lines === 0) return entryDoings[what] ?? what;
  const split = toldBy(moment).split;
  if (split && sku) return `split ${sku}: ${splitText(split, locale)}`;
  const after = Object.keys(toldBy(moment).after ?? {});
  // Of several lines the days are told; of one line all changes are.
  if (lines > 1 && verbOf(what) === "edited" && after.length === 1 && after[0] === "expected_arrival_date") {
    const day = toldBy(moment).after?.expected_arrival_date;
    if (typeof day === "string") return linesMoved({ count: lines, day: formatDay(day, locale) }, locale);
    return linesTo({ what: "cleared the expected day of", count: lines }, locale);
  }
  const some = isIngest(what) ? "sent records of" : (doings[verbOf(what)]?.[1] ?? statusWord(verbOf(what)));
  return lines === 1 && sku ? `${some} ${sku}` : linesTo({ what: some, count: lines }, locale);
}
