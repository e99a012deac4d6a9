import type { Named, Recommendation } from "@/api/types.gen";
import { add, compare, isDecimal, isPlausible, multiply } from "@/lib/decimal";
import { readDecimal, writeDecimal } from "@/lib/decimal-text";

/** What a person changed in a row before drafting it. */
export interface RowEdit {
  /** As typed. */
  quantity?: string | undefined;
  supplier?: Named | undefined;
}

export type Edits = Readonly<Record<string, RowEdit>>;

/** A row as it would be drafted. */
export interface Picked {
  row: Recommendation;
  /** Empty if nothing was typed, or if it is not clear what was meant. */
  quantity: string;
  /** The question about an unclear quantity. */
  ask?: string | undefined;
  supplier: Named | undefined;
  cost: Sum | undefined;
}

export interface Sum {
  currency: string;
  amount: string;
}

interface Rounding {
  minimum?: string | undefined;
  multiple?: string | undefined;
}

export const suggested = (row: Recommendation): string =>
  row.suggested_quantity > 0 ? String(row.suggested_quantity) : "";

/** The text of a row's quantity field. */
export function quantityText(row: Recommendation, edit: RowEdit | undefined, locale: string): string {
  const own = suggested(row);
  return edit?.quantity ?? (own && writeDecimal(own, locale));
}

/** Reads a row and what was changed in it. Another supplier's price is not known. */
export function pickOf(row: Recommendation, edits: Edits, locale: string): Picked {
  const edit = edits[row.recommendation_key];
  const reading =
    edit?.quantity === undefined ? { value: suggested(row) } : readDecimal(edit.quantity, locale);
  const quantity = "value" in reading ? reading.value : "";
  const supplier = edit?.supplier ?? row.supplier;
  const price = supplier?.id === row.supplier?.id ? row.unit_price : undefined;
  return {
    row,
    quantity,
    ask: "ask" in reading ? reading.ask : undefined,
    supplier,
    cost:
      price && row.currency && isDecimal(quantity)
        ? { currency: row.currency, amount: multiply(quantity, price) }
        : undefined,
  };
}

/** Whether a pick can be drafted. */
export const isOrderable = ({ quantity }: Picked): boolean =>
  isDecimal(quantity) && compare(quantity, "0") > 0;

/** How much less than suggested a pick orders; undefined if it orders all of it. */
export function restOf({ row, quantity }: Picked): number | undefined {
  const own = suggested(row);
  if (!own || !isDecimal(quantity) || compare(quantity, "0") <= 0 || compare(quantity, own) >= 0)
    return undefined;
  return Math.round((row.suggested_quantity - Number(quantity)) * 1e6) / 1e6;
}

/** The least quantity that can be ordered and is not below the given one. */
export function roundUp(quantity: string, { minimum, multiple }: Rounding): string {
  const step = Number(multiple) > 0 ? Number(multiple) : 1;
  const least = Math.max(Number(quantity), Number(minimum ?? 0));
  // Binary fractions are not exact: 0.3 / 0.1 is a little less than 3.
  const steps = Math.max(1, Math.ceil(least / step - 1e-9));
  return String(Math.round(steps * step * 1e6) / 1e6);
}

/** The quantity to order instead, if this one is below the minimum or not a multiple. */
export function better(quantity: string, rules: Rounding): string | undefined {
  if (!isDecimal(quantity) || compare(quantity, "0") <= 0 || (!rules.minimum && !rules.multiple))
    return undefined;
  const rounded = roundUp(quantity, { ...rules, multiple: rules.multiple ?? quantity });
  return compare(rounded, quantity) === 0 ? undefined : rules.multiple ? rounded : rules.minimum;
}

/** How many picks are in no sum, because what they cost cannot be true. */
export const leftOutOf = (picks: readonly Picked[]): number =>
  picks.filter(({ cost }) => cost && !isPlausible(cost.amount)).length;

/** Sums by currency, in the order of the currencies' names, without costs that cannot be true. */
export function totals(picks: readonly Picked[]): Sum[] {
  const sums = new Map<string, string>();
  for (const { cost } of picks)
    if (cost && isPlausible(cost.amount))
      sums.set(cost.currency, add(sums.get(cost.currency) ?? "0", cost.amount));
  return [...sums]
    .map(([currency, amount]) => ({ currency, amount }))
    .sort((a, b) => a.currency.localeCompare(b.currency));
}

/** The id under which a supplier's rows are shown and filtered. */
export const supplierId = (supplier: Named | undefined): string => supplier?.id ?? "none";

/** Puts the rows of a supplier together, the supplier with the most urgent row first. */
export function bySupplier<T>(rows: readonly T[], supplierOf: (row: T) => Named | undefined): T[][] {
  const blocks = new Map<string, T[]>();
  for (const row of rows) {
    const id = supplierId(supplierOf(row));
    const block = blocks.get(id);
    if (block) block.push(row);
    else blocks.set(id, [row]);
  }
  return [...blocks.values()];
}
