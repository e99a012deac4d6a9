import { useState } from "react";
import { usePlace } from "@/lib/session";
import { dropSetting, readSetting, writeSetting } from "@/lib/storage";

/** How a person left a table: which columns, in which order, how wide. Without saving a view. */
export interface LeftAs {
  columns?: string[];
  widths?: Record<string, number>;
}

/** Reads what was kept; what it cannot mean is left out. */
export function readLeftAs(text: string | null): LeftAs {
  const left: LeftAs = {};
  try {
    const { columns, widths } = JSON.parse(text ?? "{}") as Record<string, unknown>;
    if (Array.isArray(columns)) left.columns = columns.filter((one) => typeof one === "string");
    if (typeof widths === "object" && widths !== null)
      left.widths = Object.fromEntries(
        Object.entries(widths).filter((one): one is [string, number] => Number.isFinite(one[1])),
      );
  } catch {
    // Somebody else's text: as if nothing was kept.
  }
  return left;
}

/** How this person left the table in this browser, and a way to change it. */
export function useLeftAs(table: string): [LeftAs, (change: LeftAs | undefined) => void] {
  const { person, workspace } = usePlace();
  const key = `table.${person.id}.${workspace.id}.${table}`;
  const [left, setLeft] = useState(() => readLeftAs(readSetting(key)));
  const change = (part: LeftAs | undefined) => {
    const next = part ? { ...left, ...part } : {};
    setLeft(next);
    if (part) writeSetting(key, JSON.stringify(next));
    else dropSetting(key);
  };
  return [left, change];
}
