import type { KeyboardEvent } from "react";
import { useShortcuts } from "./shortcuts";

interface ListKeys {
  ids: readonly string[];
  /** Where to go on from when no row has the focus. */
  current?: string | undefined;
  /** What one row is called in the sheet of shortcuts. */
  noun: string;
  /** The focus has come to another row. */
  onMove?: ((id: string) => void) | undefined;
  /** The last row was passed. */
  onEnd?: (() => void) | undefined;
}

/** The row that has the focus, or something in it. */
export function focusedRow(): string | undefined {
  return document.activeElement?.closest<HTMLElement>("[data-row]")?.dataset.row;
}

/** Focuses a row's first link, or the row itself. */
export function focusRow(id: string): void {
  const row = document.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"]`);
  (row?.querySelector("a") ?? row)?.focus({ preventScroll: true });
  row?.scrollIntoView({ block: "nearest" });
}

/**
 * Moves the focus itself through the rows of a list, with j and k everywhere and the arrow keys
 * inside: so Enter opens, and screen readers follow, without anything more. Rows have their id as
 * `data-row`, and what holds them `onKeyDown`.
 */
export function useListKeys({ ids, current, noun, onMove, onEnd }: ListKeys) {
  function move(step: 1 | -1) {
    const from = ids.indexOf(focusedRow() ?? current ?? "");
    const to = from === -1 ? (step === 1 ? 0 : ids.length - 1) : from + step;
    const id = ids[to];
    if (to >= ids.length - 1) onEnd?.();
    if (id === undefined) return;
    focusRow(id);
    onMove?.(id);
  }
  useShortcuts([
    { keys: "j", label: `Next ${noun}`, group: "Lists", run: () => move(1) },
    { keys: "k", label: `Previous ${noun}`, group: "Lists", run: () => move(-1) },
  ]);
  return {
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
      if (!(event.target instanceof HTMLElement) || !event.target.closest("[data-row]")) return;
      event.preventDefault();
      move(event.key === "ArrowDown" ? 1 : -1);
    },
  };
}
