import { useRef, useState } from "react";
import { useHold } from "./live";

/** Which rows of a list are selected. */
export interface Selection<T> {
  /** The selected rows that are still in the list, in its order. */
  chosen: readonly T[];
  has: (row: T) => boolean;
  set: (rows: readonly T[], on: boolean) => void;
  /** Sets all rows between this one and the one that was set before it. */
  reach: (row: T, on: boolean) => void;
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
  const last = useRef<string>(undefined);
  const set = (changed: readonly T[], on: boolean) => {
    last.current = changed.map(idOf).at(-1);
    setHeld((before) => {
      const next = new Set(before.filter === filter ? before.ids : none);
      for (const row of changed) on ? next.add(idOf(row)) : next.delete(idOf(row));
      return { filter, ids: next };
    });
  };
  return {
    set,
    reach: (row, on) => {
      const ends = [last.current, idOf(row)].map((id) => rows.findIndex((one) => idOf(one) === id));
      const from = Math.min(...ends);
      set(from < 0 ? [row] : rows.slice(from, Math.max(...ends) + 1), on);
      last.current = idOf(row);
    },
    chosen: ids.size === 0 ? [] : rows.filter((row) => ids.has(idOf(row))),
    has: (row) => ids.has(idOf(row)),
    clear: () => setHeld({ filter, ids: none }),
  };
}

const none: ReadonlySet<string> = new Set();
