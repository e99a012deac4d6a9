import { useQuery } from "@tanstack/react-query";
import { getRowOptions, listTablesOptions } from "@/api/@tanstack/react-query.gen";
import { usePlace } from "@/lib/session";

/** How often the figures of a page are read again: stock and orders change while somebody looks at them. */
export const refreshEvery = 20_000;

/** A record of a table, and the table that describes its fields. */
export function useRecord(slug: string, record: string) {
  const workspace = usePlace().workspace.id;
  const tables = useQuery({ ...listTablesOptions({ path: { workspace } }), staleTime: 60_000 });
  const row = useQuery(getRowOptions({ path: { workspace, table: slug, record } }));
  const table = tables.data?.items.find((one) => one.slug === slug);
  return {
    table,
    row: row.data,
    error: tables.error ?? row.error,
    refetch: () => Promise.all([tables.refetch(), row.refetch()]),
  };
}
