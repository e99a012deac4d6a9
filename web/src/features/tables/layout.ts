import type { Table, TableColumn } from "@/api/types.gen";

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
/** Of the first column, which says which record it is, and of what is one of a few words. */
const nameWidth = 220;
const wordWidth = 112;
const minWidth = 64;
const maxWidth = 800;

export interface Placed {
  column: TableColumn;
  width: number;
  /** Of one that stays in sight: how far from the left edge. */
  left?: number;
  /** The last of those that stay in sight. */
  edge?: boolean;
}

/** How wide columns are: for their values, and at least for their names. The first stay in sight. */
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

/** A width that can still be read and reached. */
export function sensibleWidth(width: number): number {
  return Math.round(Math.max(minWidth, Math.min(maxWidth, width)));
}

/** How many of the columns shown stay in sight: those in front that say which record it is. */
export function frozenOf({ default_view: view }: Table, columns: TableColumn[]): number {
  const naming = view.select_fields.slice(0, view.frozen);
  const other = columns.findIndex((column) => !naming.includes(column.name));
  return Math.max(1, other < 0 ? columns.length : other);
}
