import type { RowList, TableColumn } from "@/api/types.gen";

/** By field and id, what the records are called that rows refer to. */
export type Links = RowList["links"];

/** Links of several pages in one. */
export function mergeLinks(all: readonly Links[]): Links {
  const merged: Links = {};
  for (const links of all)
    for (const [field, labels] of Object.entries(links)) merged[field] = { ...merged[field], ...labels };
  return merged;
}

/** Whether a column has the numbers of purchase orders, which have pages of their own. */
export function isOrderNumber(table: string, { name }: Pick<TableColumn, "name">): boolean {
  return table === "purchase_order_lines" && name === "order_no";
}

/** Where a value leads: to the record that it refers to, or to the purchase order that it numbers. */
export function leadsTo(
  workspace: string,
  table: string,
  column: Pick<TableColumn, "name" | "references">,
  value: unknown,
): string | undefined {
  if (value === null || value === undefined || value === "") return undefined;
  const said = encodeURIComponent(String(value));
  if (column.references) return `/w/${workspace}/tables/${column.references}?record=${said}`;
  return isOrderNumber(table, column) ? `/w/${workspace}/purchase-orders/${said}` : undefined;
}
