import type { AuditEntry } from "@/api/types.gen";
import { add, isDecimal, multiply } from "@/lib/decimal";
import { formatSum } from "@/lib/format";
import { linesOf, readTimes } from "@/messages/audit";

/** Entries that are told as one: the newest, and how many there are. */
export interface Folded extends AuditEntry {
  all: readonly AuditEntry[];
}

/** What a purchase order line was after an action. Entries of earlier versions do not have it. */
export interface AuditedLine {
  order: string;
  sku: string;
  /** What it, or the part of it that a receipt is about, costs; if its price is known. */
  cost: string | undefined;
  currency: string | undefined;
}

export function lineOf({ data }: Pick<AuditEntry, "data">): AuditedLine | undefined {
  const line = data.line as Record<string, unknown> | undefined;
  if (typeof line?.order_no !== "string") return undefined;
  const [quantity, price] = [movedBy(data) ?? String(line.quantity_ordered), String(line.price_per_unit)];
  return {
    order: line.order_no,
    sku: String(line.sku ?? ""),
    cost: isDecimal(quantity) && isDecimal(price) ? multiply(quantity, price) : undefined,
    currency: typeof line.currency === "string" ? line.currency : undefined,
  };
}

/** How many pieces a receipt or its correction is about. */
function movedBy({ before, after }: AuditEntry["data"]): string | undefined {
  const quantity = (state: unknown) => String((state as Record<string, unknown> | null)?.quantity_received);
  const [was, is] = [quantity(before), quantity(after)];
  if (!isDecimal(was) || !isDecimal(is)) return undefined;
  return add(is, was.startsWith("-") ? was.slice(1) : `-${was}`);
}

const reading = /_(get|list|describe|explain|query)$|^search_records$/;

/** Whether an agent only read something. What was refused is not folded away. */
function isRead({ action, subject, data }: AuditEntry): boolean {
  if (data.refused) return false;
  return action === "resource.read" || (action === "tool.called" && reading.test(subject));
}

/** What entries must share to be told as one. */
function groupOf(entry: AuditEntry): string {
  const who = `${entry.by_type} ${entry.by_id} ${entry.workspace_id ?? ""}`;
  if (isRead(entry)) return `read ${who}`;
  const order = lineOf(entry)?.order;
  if (order === undefined || !entry.request_id) return entry.id;
  return [who, entry.action, order, entry.request_id, entry.data.reason].join(" ");
}

/** Folds entries that follow each other, newest first, and belong together. */
export function fold(entries: readonly AuditEntry[]): Folded[] {
  const folded: { group: string; all: AuditEntry[] }[] = [];
  for (const entry of entries) {
    const group = groupOf(entry);
    const last = folded.at(-1);
    if (last?.group === group) last.all.push(entry);
    else folded.push({ group, all: [entry] });
  }
  return folded.flatMap(({ all }) => (all[0] ? [{ ...all[0], all }] : []));
}

/** Entries as they are, each for itself. */
export const each = (entries: readonly AuditEntry[]): Folded[] =>
  entries.map((entry) => ({ ...entry, all: [entry] }));

/** Says in words what is folded, after "approved PO-1001": ", 6 lines, £700.55". */
export function foldedLines(all: readonly AuditEntry[], locale: string, withSum: boolean): string {
  const lines = all.map((entry) => lineOf(entry));
  const count = new Set(all.map((entry) => entry.subject)).size;
  const currency = lines[0]?.currency;
  let sum: string | undefined = withSum ? "0" : undefined;
  for (const line of lines)
    sum = sum !== undefined && line?.cost && line.currency === currency ? add(sum, line.cost) : undefined;
  const what = all.length > 1 ? linesOf({ count }, locale) : lines[0]?.sku;
  return [what, sum !== undefined && currency && formatSum(sum, currency, locale)]
    .filter(Boolean)
    .map((part) => `, ${part}`)
    .join("");
}

/** "read 42 times", or undefined if the entries are not reads that are told as one. */
export function foldedReads(all: readonly AuditEntry[], locale: string): string | undefined {
  const [first] = all;
  return first && isRead(first) && all.length > 1 ? readTimes({ count: all.length }, locale) : undefined;
}
