import type { KeyboardEvent } from "react";
import { useShortcuts } from "./shortcuts";

interface ListKeys {
  ids: readonly string[];
  /** The row to start from if no row has the focus. */
  current?: string | undefined;
  /** The name of one row in the sheet of shortcuts. */
  noun: string;
  /** Called when the focus moves to another row. */
  onMove?: ((id: string) => void) | undefined;
  /** Called when the focus reaches the last row or would pass it. */
  onEnd?: (() => void) | undefined;
  /** Called with both rows when the focus moves with the shift key. */
  onReach?: ((ids: readonly (string | undefined)[]) => void) | undefined;
}

/** The id of the row that has or contains the focus. */
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
 * Moves the focus through the rows of a list, with j and k everywhere and with the arrow keys inside
 * the list. Because it is the real focus, Enter opens a row and screen readers follow. Each row
 * needs its id as `data-row`, and the element around the rows needs `onKeyDown`.
 */
export function useListKeys({ ids, current, noun, onMove, onEnd, onReach }: ListKeys) {
  function move(step: 1 | -1, reach = false) {
    const from = ids.indexOf(focusedRow() ?? current ?? "");
    const to = from === -1 ? (step === 1 ? 0 : ids.length - 1) : from + step;
    const id = ids[to];
    if (to >= ids.length - 1) onEnd?.();
    if (id === undefined) return;
    focusRow(id);
    onMove?.(id);
    if (reach) onReach?.([ids[from], id]);
  }
  useShortcuts([
    { keys: "j", label: `Next ${noun}`, group: "Lists", run: (event) => move(1, event.shiftKey) },
    { keys: "k", label: `Previous ${noun}`, group: "Lists", run: (event) => move(-1, event.shiftKey) },
  ]);
  return {
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
      if (!(event.target instanceof HTMLElement) || !event.target.closest("[data-row]")) return;
      event.preventDefault();
      move(event.key === "ArrowDown" ? 1 : -1, event.shiftKey);
    },
  };
}
