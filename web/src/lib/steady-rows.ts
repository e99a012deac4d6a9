import { hashKey, type QueryKey, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { isPolled } from "./live-queries";

export interface Steady<T> {
  rows: readonly T[];
  /** How many new rows a poll has found that are not shown. */
  news: number;
}

/**
 * Updates the rows shown from a poll's answer without moving them: they keep their order, deleted
 * rows are left out, and new rows are only counted. If the answer is not the `whole` list, rows
 * after the last known one are appended, and rows that new ones have pushed past its end stay.
 */
export function keepSteady<T>(
  shown: readonly T[],
  answer: readonly T[],
  idOf: (row: T) => string,
  whole: boolean,
): Steady<T> {
  if (shown.length === 0) return { rows: answer, news: 0 };
  const known = new Set(shown.map(idOf));
  const fresh = new Map(answer.map((row) => [idOf(row), row]));
  const lastKnown = whole ? answer.length - 1 : answer.findLastIndex((row) => known.has(idOf(row)));
  const continued = lastKnown === -1 ? [] : answer.slice(lastKnown + 1);
  const news = answer.length - continued.length - [...known].filter((id) => fresh.has(id)).length;
  const lastFresh = shown.findLastIndex((row) => fresh.has(idOf(row)));
  const pushedOut = (at: number) => !whole && news > 0 && at > lastFresh && continued.length === 0;
  const kept = shown.flatMap((row, at) => fresh.get(idOf(row)) ?? (pushedOut(at) ? [row] : []));
  return { rows: [...kept, ...continued], news };
}

interface SteadyRowsOptions<D, T> {
  queryKey: QueryKey;
  data: D | undefined;
  rowsOf: (data: D) => readonly T[];
  idOf: (row: T) => string;
  /** False if the server has more rows than were requested. */
  whole?: boolean;
}

/** What is shown of an answer. */
export interface Shown<D, T> extends Partial<Steady<T>> {
  /** The list: another filter is another list. */
  key: string;
  data: D | undefined;
}

/** What to show of an answer: a poll of the list that is shown keeps its rows steady; any other answer replaces them. */
export function showAnswer<D, T>(
  before: Shown<D, T> | undefined,
  { key, data, polled }: { key: string; data: D | undefined; polled: boolean },
  { rowsOf, idOf, whole }: { rowsOf: (data: D) => readonly T[]; idOf: (row: T) => string; whole: boolean },
): Shown<D, T> {
  const all = data && { rows: rowsOf(data), news: 0 };
  const isSame = before?.key === key && polled;
  const next = isSame && before.rows && all ? keepSteady(before.rows, all.rows, idOf, whole) : all;
  return { key, data, ...next };
}

/** The rows of a polled list. Polls only announce new rows; a person's action inserts them. */
export function useSteadyRows<D, T>({
  queryKey,
  data,
  rowsOf,
  idOf,
  whole = true,
}: SteadyRowsOptions<D, T>): Partial<Steady<T>> & { showNews: () => void } {
  const queryClient = useQueryClient();
  const key = hashKey(queryKey);
  const [held, setHeld] = useState<Shown<D, T>>();
  let now = held;
  if (!now || now.key !== key || now.data !== data) {
    const polled = isPolled(queryClient.getQueryCache().find({ queryKey }));
    now = showAnswer(held, { key, data, polled }, { rowsOf, idOf, whole });
    setHeld(now);
  }
  const showNews = () => data && setHeld({ key, data, rows: rowsOf(data), news: 0 });
  return { ...now, showNews };
}
