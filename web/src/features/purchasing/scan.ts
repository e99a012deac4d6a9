import type { Line } from "@/api/types.gen";
import { add, compare } from "@/lib/decimal";

/** A line with how many of it were counted in this delivery. */
export interface Counted {
  line: Line;
  quantity: string;
}

/**
 * Counts one more piece of an article. It belongs to the earliest of its lines of which something is
 * still open after what was counted; if nothing is, to the last, and booking asks about the surplus.
 * The line that was counted last comes first.
 */
export function count(counted: readonly Counted[], found: readonly Line[]): Counted[] {
  const of = (line: Line) => counted.find((one) => one.line.id === line.id)?.quantity ?? "0";
  const line = found.find((one) => compare(of(one), one.quantity_open) < 0) ?? found.at(-1);
  if (!line) return [...counted];
  return [{ line, quantity: add(of(line), "1") }, ...counted.filter((one) => one.line.id !== line.id)];
}

/** Sets how many of a line were counted; none takes the line off the list. */
export function setCount(counted: readonly Counted[], id: string, quantity: string): Counted[] {
  return counted.flatMap((one) => {
    if (one.line.id !== id) return [one];
    return compare(quantity, "0") > 0 ? [{ ...one, quantity }] : [];
  });
}

/** Takes over the lines as they are now; those that no longer wait for anything are dropped. */
export function refresh(counted: readonly Counted[], now: readonly Line[]): Counted[] {
  return counted.flatMap(({ line, quantity }) => {
    const current = now.find(({ id }) => id === line.id);
    return current?.actions.includes("receive") ? [{ line: current, quantity }] : [];
  });
}
