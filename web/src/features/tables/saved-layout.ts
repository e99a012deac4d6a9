import { useState } from "react";
import { usePlace } from "@/lib/session";
import { dropSetting, readSetting, writeSetting } from "@/lib/storage";

/** A person's layout of a table, kept without saving a view: columns, their order and widths. */
export interface SavedLayout {
  columns?: string[];
  widths?: Record<string, number>;
}

/** Reads a stored layout; drops invalid parts. */
export function readSavedLayout(text: string | null): SavedLayout {
  const left: SavedLayout = {};
  try {
    const { columns, widths } = JSON.parse(text ?? "{}") as Record<string, unknown>;
    if (Array.isArray(columns)) left.columns = columns.filter((one) => typeof one === "string");
    if (typeof widths === "object" && widths !== null)
      left.widths = Object.fromEntries(
        Object.entries(widths).filter((one): one is [string, number] => Number.isFinite(one[1])),
      );
  } catch {
    // Not our JSON: as if nothing was stored.
  }
  return left;
}

/** This person's layout of the table in this browser, and a function to change it. */
export function useSavedLayout(table: string): [SavedLayout, (change: SavedLayout | undefined) => void] {
  const { person, workspace } = usePlace();
  const key = `table.${person.id}.${workspace.id}.${table}`;
  const [left, setLeft] = useState(() => readSavedLayout(readSetting(key)));
  const change = (part: SavedLayout | undefined) => {
    const next = part ? { ...left, ...part } : {};
    setLeft(next);
    if (part) writeSetting(key, JSON.stringify(next));
    else dropSetting(key);
  };
  return [left, change];
}
