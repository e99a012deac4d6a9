import { useState } from "react";
import { useHold } from "./live";

/** Which rows of a list are selected. */
export interface Selection<T> {
  /** The selected rows that are still in the list, in its order. */
  chosen: readonly T[];
  has: (row: T) => boolean;
  set: (rows: readonly T[], on: boolean) => void;
  clear: () => void;
}

interface SelectionOf<T> {
  rows: readonly T[] | undefined;
  idOf: (row: T) => string;
  /** The list's filter; a change of filter clears the selection. */
  filter: string;
}

/** The selection of a list. While any row is selected, polls do not change the rows. */
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
