import { useState } from "react";
import { useHold } from "./live";

/** Which rows of a list are selected. */
export interface Selection<T> {
  /** Those of them that are still there, in the list's order. */
  chosen: readonly T[];
  has: (row: T) => boolean;
  set: (rows: readonly T[], on: boolean) => void;
  clear: () => void;
}

interface SelectionOf<T> {
  rows: readonly T[] | undefined;
  idOf: (row: T) => string;
  /** What the list is narrowed to: another filter is another selection. */
  filter: string;
}

/** A selection. While anything is selected no poll moves the rows. */
export function useSelection<T>({ rows = [], idOf, filter }: SelectionOf<T>): Selection<T> {
  const [held, setHeld] = useState<{ filter: string; ids: ReadonlySet<string> }>({ filter, ids: none });
  const ids = held.filter === filter ? held.ids : none;
  useHold(ids.size > 0);
  return {
    chosen: ids.size === 0 ? [] : rows.filter((row) => ids.has(idOf(row))),
    has: (row) => ids.has(idOf(row)),
    set: (changed, on) =>
      setHeld((before) => {
        const next = new Set(before.filter === filter ? before.ids : none);
        for (const row of changed) on ? next.add(idOf(row)) : next.delete(idOf(row));
        return { filter, ids: next };
      }),
    clear: () => setHeld({ filter, ids: none }),
  };
}

const none: ReadonlySet<string> = new Set();
