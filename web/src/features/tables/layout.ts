import type { TableColumn } from "@/api/types.gen";

/** Heights in pixels; every row is as tall as the next, so that none has to be measured. */
export const rowHeight = 33;
export const headHeight = 34;

const widths: Record<TableColumn["type"], number> = {
  text: 180,
  number: 120,
  boolean: 96,
  date: 120,
  datetime: 168,
  uuid: 136,
};

export interface Placed {
  column: TableColumn;
  width: number;
}

/** How wide columns are: for their values, and at least for their names. */
export function placeColumns(columns: TableColumn[], given: Record<string, number> = {}): Placed[] {
  return columns.map((column) => ({
    column,
    width: given[column.name] ?? Math.max(widths[column.type], Math.min(240, 44 + column.label.length * 7)),
  }));
}
