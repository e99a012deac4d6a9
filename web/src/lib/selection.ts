import { useState } from "react";
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

/** Which rows are selected, by their ids, and under which filter they were. */
export interface Selected {
  filter: string;
  ids: ReadonlySet<string>;
  /** The row from which a range extends: the last one that was set. */
  from?: string | undefined;
}

const none: ReadonlySet<string> = new Set();

/** Nothing selected. */
export const noneOf = (filter: string): Selected => ({ filter, ids: none });

/** The selection under a filter. That of another filter does not count: its rows may not be in the list. */
export function under(selected: Selected, filter: string): Selected {
  return selected.filter === filter ? selected : noneOf(filter);
}

export function setIds(selected: Selected, changed: readonly string[], on: boolean): Selected {
  const ids = new Set(selected.ids);
  for (const id of changed) on ? ids.add(id) : ids.delete(id);
  return { ...selected, ids, from: changed.at(-1) };
}

/** Sets all rows of the list between the row that was set last and this one, or this one alone. */
export function reachId(selected: Selected, list: readonly string[], id: string, on: boolean): Selected {
  const ends = [list.indexOf(selected.from ?? ""), list.indexOf(id)];
  const first = Math.min(...ends);
  const range = first < 0 ? [id] : list.slice(first, Math.max(...ends) + 1);
  return { ...setIds(selected, range, on), from: id };
}

/** The selected rows that are in the list, in its order. An action on the selection is about these only. */
export function chosenOf<T>({ ids }: Selected, rows: readonly T[], idOf: (row: T) => string): readonly T[] {
  return ids.size === 0 ? [] : rows.filter((row) => ids.has(idOf(row)));
}

/** The selection of a list. While any row is selected, polls do not change the rows. */
export function useSelection<T>({ rows = [], idOf, filter }: SelectionOf<T>): Selection<T> {
  const [held, setHeld] = useState(() => noneOf(filter));
  const selected = under(held, filter);
  const chosen = chosenOf(selected, rows, idOf);
  // Not while only rows are selected that have left the list: nobody could see why nothing is refreshed.
  useHold(chosen.length > 0);
  const change = (to: (before: Selected) => Selected) => setHeld((before) => to(under(before, filter)));
  return {
    set: (changed, on) => change((before) => setIds(before, changed.map(idOf), on)),
    reach: (row, on) => change((before) => reachId(before, rows.map(idOf), idOf(row), on)),
    chosen,
    has: (row) => selected.ids.has(idOf(row)),
    clear: () => setHeld(noneOf(filter)),
  };
}
