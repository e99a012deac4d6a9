import type { RowList, TableColumn } from "@/api/types.gen";

/** The names of referenced records, by field and id. */
export type Links = RowList["links"];

/** Merges the links of several pages. */
export function mergeLinks(all: readonly Links[]): Links {
  const merged: Links = {};
  for (const links of all)
    for (const [field, labels] of Object.entries(links)) merged[field] = { ...merged[field], ...labels };
  return merged;
}

/** Whether a column holds numbers of purchase orders, which have their own pages. */
export function isOrderNumber(table: string, { name }: Pick<TableColumn, "name">): boolean {
  return table === "purchase_order_lines" && name === "order_no";
}

/** Tables whose records have pages below an address of the same name. */
const paged = new Set(["suppliers", "customers"]);

/** The page of a record, if its table's records have one. */
export function pageOf(workspace: string, table: string, record: string): string | undefined {
  return paged.has(table) ? `/w/${workspace}/${table}/${encodeURIComponent(record)}` : undefined;
}

/** The target of a value's link: the referenced record or its page, or the purchase order with this number. */
export function leadsTo(
  workspace: string,
  table: string,
  column: Pick<TableColumn, "name" | "references">,
  value: unknown,
): string | undefined {
  if (value === null || value === undefined || value === "") return undefined;
  const said = encodeURIComponent(String(value));
  if (column.references)
    return (
      pageOf(workspace, column.references, String(value)) ??
      `/w/${workspace}/tables/${column.references}?record=${said}`
    );
  return isOrderNumber(table, column) ? `/w/${workspace}/purchase-orders/${said}` : undefined;
}
