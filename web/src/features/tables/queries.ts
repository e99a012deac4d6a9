import { infiniteQueryOptions, keepPreviousData, type QueryClient } from "@tanstack/react-query";
import { countRowsOptions, listTablesOptions } from "@/api/@tanstack/react-query.gen";
import { listRowHistory, listRows } from "@/api/sdk.gen";
import type { Row, RowList, Table, TableColumn } from "@/api/types.gen";
import type { TableState } from "./state";
import { toQuery } from "./state";

/** Rows of one page: several screens, and some tens of kilobytes. */
const pageSize = 200;

export function tablesQuery(workspace: string) {
  return { ...listTablesOptions({ path: { workspace } }), staleTime: 60_000 };
}

const rowsKey = (workspace: string, table: string) => ["rows", workspace, table] as const;

/**
 * The rows of a state, page by page. What was read stays as it was read, so that nothing
 * moves under the reader's eyes; a reload of the table begins anew.
 */
export function rowsQuery(workspace: string, table: string, state: TableState, fields: string[]) {
  const query = toQuery(state, fields);
  return infiniteQueryOptions({
    queryKey: [...rowsKey(workspace, table), query],
    queryFn: async ({ pageParam, signal }): Promise<RowList> => {
      const page = { limit: pageSize, ...(pageParam && { cursor: pageParam }) };
      const { data } = await listRows({
        path: { workspace, table },
        query: { ...query, ...page },
        signal,
        throwOnError: true,
      });
      return data;
    },
    initialPageParam: "",
    getNextPageParam: (last) => last.next_cursor,
    staleTime: Number.POSITIVE_INFINITY,
    // A table that was scrolled through is large, and coming back should be fresh.
    gcTime: 60_000,
    refetchOnMount: (query) => (query.state.data?.pages.length ?? 0) <= 1 && "always",
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    structuralSharing: false,
    placeholderData: keepPreviousData,
  });
}

export function countQuery(workspace: string, table: string, state: TableState) {
  const { filters } = toQuery(state, []);
  return {
    ...countRowsOptions({ path: { workspace, table }, query: filters ? { filters } : {} }),
    placeholderData: keepPreviousData,
  };
}

export function historyQuery(workspace: string, table: string, record: string) {
  return infiniteQueryOptions({
    queryKey: ["row-history", workspace, table, record],
    queryFn: async ({ pageParam, signal }) => {
      const query = { limit: 50, ...(pageParam && { cursor: pageParam }) };
      const { data } = await listRowHistory({
        path: { workspace, table, record },
        query,
        signal,
        throwOnError: true,
      });
      return data;
    },
    initialPageParam: "",
    getNextPageParam: (last) => last.next_cursor,
  });
}

/** Puts a record as it is now into whatever shows it. */
export function showRow(client: QueryClient, workspace: string, table: string, row: Row): void {
  client.setQueriesData<{ pages: RowList[]; pageParams: string[] }>(
    { queryKey: rowsKey(workspace, table) },
    (data) =>
      data && {
        ...data,
        pages: data.pages.map((page) =>
          page.items.some((one) => one.id === row.id)
            ? { ...page, items: page.items.map((one) => (one.id === row.id ? row : one)) }
            : page,
        ),
      },
  );
  void client.invalidateQueries({ queryKey: ["row-history", workspace, table, row.id] });
  void client.invalidateQueries({ queryKey: [{ _id: "getRow" }] });
}

/** Reads a table again, from its beginning. */
export function reloadRows(client: QueryClient, workspace: string, table: string): void {
  void client.resetQueries({ queryKey: rowsKey(workspace, table) });
  void client.invalidateQueries({ queryKey: [{ _id: "countRows" }] });
}

const kept = new Set(["id", "version", "created_at", "workspace_id"]);
const shownAtFirst = 12;

/** What a table shows when nobody chose: what it is about, and when it changed. */
export function defaultColumns(table: Table): string[] {
  const own = table.columns.filter((column) => !kept.has(column.name) && column.name !== "updated_at");
  return [...own.slice(0, shownAtFirst).map((column) => column.name), "updated_at"];
}

/** The columns of a state that the table has; an old link may name one that is gone. */
export function shownColumns(table: Table, state: TableState): TableColumn[] {
  const byName = new Map(table.columns.map((column) => [column.name, column]));
  const chosen = (state.columns ?? []).flatMap((name) => byName.get(name) ?? []);
  if (chosen.length > 0) return [...new Set(chosen)];
  return defaultColumns(table).flatMap((name) => byName.get(name) ?? []);
}
