import type { KeyboardEvent } from "react";
import { useShortcuts } from "./shortcuts";

interface ListKeys {
  ids: readonly string[];
  /** Where to go on from when no row has the focus. */
  current?: string | undefined;
  /** What one row is called in the sheet of shortcuts. */
  noun: string;
  /** The focus has come to another row. */
  onMove?: (id: string) => void;
  /** The last row was passed. */
  onEnd?: () => void;
}

/**
 * Moves the focus itself through the links of a list, with j and k everywhere and the arrow keys
 * inside: so Enter opens, and screen readers follow, without anything more. Spread `rowProps(id)`
 * on the link of each row, and `onKeyDown` on what holds them.
 */
export function useListKeys({ ids, current, noun, onMove, onEnd }: ListKeys) {
  const focused = () => document.activeElement?.closest<HTMLElement>("[data-row]")?.dataset.row;
  function move(step: 1 | -1) {
    const from = ids.indexOf(focused() ?? current ?? "");
    const to = from === -1 ? (step === 1 ? 0 : ids.length - 1) : from + step;
    const id = ids[to];
    if (to >= ids.length - 1) onEnd?.();
    if (id === undefined) return;
    const row = document.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"]`);
    row?.focus({ preventScroll: true });
    row?.scrollIntoView({ block: "nearest" });
    onMove?.(id);
  }
  useShortcuts([
    { keys: "j", label: `Next ${noun}`, group: "Lists", run: () => move(1) },
    { keys: "k", label: `Previous ${noun}`, group: "Lists", run: () => move(-1) },
  ]);
  return {
    focused,
    rowProps: (id: string) => ({ "data-row": id }),
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
      if (!(event.target instanceof HTMLElement) || !event.target.closest("[data-row]")) return;
      event.preventDefault();
      move(event.key === "ArrowDown" ? 1 : -1);
    },
  };
}
