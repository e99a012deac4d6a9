import type { Table, TableColumn } from "@/api/types.gen";

/** Heights in pixels; all rows have the same height, so that none has to be measured. */
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
/** Widths of the first column, which identifies the record, and of columns with few values. */
const nameWidth = 220;
const wordWidth = 112;
const minWidth = 64;
const maxWidth = 800;

export interface Placed {
  column: TableColumn;
  width: number;
  /** The distance of a pinned column from the left edge. */
  left?: number;
  /** The last pinned column. */
  edge?: boolean;
}

/** The widths of columns: wide enough for their values and names. The first ones are pinned. */
export function placeColumns(
  columns: TableColumn[],
  given: Record<string, number> = {},
  frozen = 1,
): Placed[] {
  let left = 0;
  return columns.map((column, at) => {
    const width = given[column.name] ?? Math.max(widthOf(column), at === 0 ? nameWidth : 0);
    const placed: Placed = { column, width };
    if (at < frozen) {
      placed.left = left;
      placed.edge = at === frozen - 1;
      left += width;
    }
    return placed;
  });
}

function widthOf({ name, type, label, choices }: TableColumn): number {
  const short = choices || /(^|_)(currency|country)$/.test(name);
  return Math.max(short ? wordWidth : widths[type], Math.min(240, 44 + label.length * 7));
}

/** Limits a width, so that the column stays readable and its edge reachable. */
export function sensibleWidth(width: number): number {
  return Math.round(Math.max(minWidth, Math.min(maxWidth, width)));
}

/** How many columns are pinned: the leading ones that identify the record. */
export function frozenOf({ default_view: view }: Table, columns: TableColumn[]): number {
  const naming = view.select_fields.slice(0, view.frozen);
  const other = columns.findIndex((column) => !naming.includes(column.name));
  return Math.max(1, other < 0 ? columns.length : other);
}
