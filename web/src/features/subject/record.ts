import { useQuery } from "@tanstack/react-query";
import { getRowOptions, getTableOptions } from "@/api/@tanstack/react-query.gen";
import { usePlace } from "@/lib/session";

/** How often the figures of a page are read again: stock and orders change while somebody looks at them. */
export const refreshEvery = 20_000;

/** A record of a table, and the table that describes its fields. */
export function useRecord(slug: string, record: string) {
  const workspace = usePlace().workspace.id;
  const table = useQuery({ ...getTableOptions({ path: { workspace, table: slug } }), staleTime: 60_000 });
  const row = useQuery(getRowOptions({ path: { workspace, table: slug, record } }));
  return {
    table: table.data,
    row: row.data,
    error: table.error ?? row.error,
    refetch: () => Promise.all([table.refetch(), row.refetch()]),
  };
}
