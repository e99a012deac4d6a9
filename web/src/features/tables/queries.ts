import { infiniteQueryOptions, keepPreviousData, type QueryClient } from "@tanstack/react-query";
import { countRowsOptions, getTableOptions, listTablesOptions } from "@/api/@tanstack/react-query.gen";
import { listRowHistory, listRows } from "@/api/sdk.gen";
import type { Row, RowList, Table, TableColumn } from "@/api/types.gen";
import { mergeLinks } from "./links";
import type { TableState } from "./state";
import { computedFor, toQuery } from "./state";

/** The rows of one page: several screens, and some tens of kilobytes. */
const pageSize = 200;

/** The tables, without their columns. */
export function tablesQuery(workspace: string) {
  return { ...listTablesOptions({ path: { workspace } }), staleTime: 60_000 };
}

/** One table with its columns. */
export function tableQuery(workspace: string, table: string) {
  return { ...getTableOptions({ path: { workspace, table } }), staleTime: 60_000 };
}

const rowsKey = (workspace: string, table: string) => ["rows", workspace, table] as const;

/**
 * The rows of a state, page by page. Loaded rows are not refetched, so that nothing moves while
 * somebody reads; reloading the table starts again from the first page.
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
    // Many loaded pages take memory, and a later visit should get fresh rows.
    gcTime: 60_000,
    refetchOnMount: (query) => (query.state.data?.pages.length ?? 0) <= 1 && "always",
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    structuralSharing: false,
    placeholderData: keepPreviousData,
  });
}

export function countQuery(workspace: string, table: string, state: TableState) {
  const { filters, search } = toQuery(state, []);
  return {
    ...countRowsOptions({
      path: { workspace, table },
      query: { ...(filters && { filters }), ...(search && { search }), ...computedFor(state) },
    }),
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

/** Updates a record in all cached lists. */
export function showRow(client: QueryClient, workspace: string, table: string, row: Row): void {
  client.setQueriesData<{ pages: RowList[]; pageParams: string[] }>(
    { queryKey: rowsKey(workspace, table) },
    (data) =>
      data && {
        ...data,
        pages: data.pages.map((page) =>
          page.items.some((one) => one.id === row.id)
            ? {
                ...page,
                items: page.items.map((one) => (one.id === row.id ? row : one)),
                links: mergeLinks([page.links, row.links ?? {}]),
              }
            : page,
        ),
      },
  );
  void client.invalidateQueries({ queryKey: ["row-history", workspace, table, row.id] });
  void client.invalidateQueries({ queryKey: [{ _id: "getRow" }] });
}

/** Reloads a table from its first page. */
export function reloadRows(client: QueryClient, workspace: string, table: string): void {
  void client.resetQueries({ queryKey: rowsKey(workspace, table) });
  void client.invalidateQueries({ queryKey: [{ _id: "countRows" }] });
}

/**
 * The columns to show: those of the state, else those of the person's layout, else the table's
 * default. Columns that no longer exist are dropped, because an old link may name some.
 */
export function shownColumns(table: Table, state: TableState, left?: string[]): TableColumn[] {
  const byName = new Map(table.columns.map((column) => [column.name, column]));
  for (const names of [state.columns, left, table.default_view.select_fields]) {
    const chosen = (names ?? []).flatMap((name) => byName.get(name) ?? []);
    if (chosen.length > 0) return [...new Set(chosen)];
  }
  return table.columns;
}

/** A state with its sort order, by default the table's own. */
export function ordered(table: Table, state: TableState): TableState {
  const { sort_by: by, sort_desc: desc } = table.default_view;
  return { ...state, sort: state.sort ?? { by, desc } };
}
