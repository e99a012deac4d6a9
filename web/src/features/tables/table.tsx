import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { ChevronLeft, Download, RefreshCw } from "lucide-react";
import { lazy, Suspense, useCallback, useMemo } from "react";
import { listViewsOptions } from "@/api/@tanstack/react-query.gen";
import type { Table, View } from "@/api/types.gen";
import { ViewsButton } from "@/features/views/views-button";
import { useLocale } from "@/lib/locale";
import { usePlace } from "@/lib/session";
import { useShortcuts } from "@/lib/shortcuts";
import { loaded as loadedOf, rows } from "@/messages/tables";
import { buttonClass } from "@/ui/button";
import { ErrorNote } from "@/ui/error-note";
import { IconButton } from "@/ui/icon-button";
import { Page } from "@/ui/page";
import { Missing } from "@/ui/page-states";
import { SkeletonText } from "@/ui/skeleton";
import { ColumnsButton } from "./columns-button";
import { FilterBar } from "./filter-bar";
import { Grid } from "./grid";
import { NoRows } from "./no-rows";
import { countQuery, reloadRows, rowsQuery, shownColumns, tablesQuery } from "./queries";
import {
  nextSort,
  type TableSearch,
  type TableState,
  toDefinition,
  toQuery,
  toSearch,
  toState,
} from "./state";

const RecordDrawer = lazy(async () => ({ default: (await import("./record-drawer")).RecordDrawer }));

const route = "/inside/w/$workspace/tables/$slug";

/** One table as a grid. What of it is shown is in the address. */
export function TablePage() {
  const { workspace } = usePlace();
  const { slug } = useParams({ from: route });
  const search = useSearch({ from: route });
  const tables = useQuery(tablesQuery(workspace.id));
  const views = useQuery(listViewsOptions({ path: { workspace: workspace.id, table: slug } }));
  const table = tables.data?.items.find((one) => one.slug === slug);
  if (tables.data && !table) return <Missing />;
  const error = tables.error ?? (search.view ? views.error : null);
  // A view's link must not flash the whole table first.
  const ready = table && (!search.view || views.data);
  return (
    <Page
      wide
      title={table?.title ?? slug}
      above={
        <Link
          to="/w/$workspace/tables"
          params={{ workspace: workspace.id }}
          className="-ml-1 inline-flex items-center gap-0.5 rounded-sm text-muted hover:text-ink"
        >
          <ChevronLeft className="size-4" aria-hidden />
          Tables
        </Link>
      }
    >
      {error && <ErrorNote error={error} retry={() => Promise.all([tables.refetch(), views.refetch()])} />}
      {!ready && !error && <SkeletonText lines={10} label="Loading the table" />}
      {ready && <Rows table={table} views={views.data?.items ?? []} search={search} />}
    </Page>
  );
}

interface RowsProps {
  table: Table;
  views: View[];
  search: TableSearch;
}

function Rows({ table, views, search }: RowsProps) {
  const { workspace, can } = usePlace();
  const client = useQueryClient();
  const go = useNavigate();
  const view = views.find((one) => one.id === search.view);
  const state = useMemo(() => toState(search, view?.definition), [search, view]);
  const columns = useMemo(() => shownColumns(table, state), [table, state]);
  const fields = columns.map((column) => column.name);
  const rows = useInfiniteQuery(rowsQuery(workspace.id, table.slug, state, fields));
  const count = useQuery(countQuery(workspace.id, table.slug, state));
  const loaded = useMemo(() => rows.data?.pages.flatMap((page) => page.items), [rows.data]);

  const show = useCallback(
    (next: TableSearch, replace = false) =>
      void go({
        to: "/w/$workspace/tables/$slug",
        params: { workspace: workspace.id, slug: table.slug },
        search: next,
        replace,
      }),
    [go, workspace.id, table.slug],
  );
  const change = (part: Partial<TableState>) => show(toSearch({ ...state, ...part }, view?.id), true);
  const open = useCallback((record: string) => show({ ...search, record }), [show, search]);
  const { fetchNextPage } = rows;
  const loadMore = useCallback(() => void fetchNextPage(), [fetchNextPage]);
  useGridShortcuts();

  const exported = new URLSearchParams(
    Object.entries(toQuery(state, fields)).map(([name, value]): [string, string] => [name, String(value)]),
  );
  const filtered = Object.keys(state.filters).length > 0;
  return (
    <>
      <div className="-mt-2 mb-3 flex flex-wrap items-center gap-2">
        <FilterBar table={table} filters={state.filters} onChange={(filters) => change({ filters })} />
        <div className="ml-auto flex flex-wrap items-center gap-2 max-md:ml-0">
          <ViewsButton
            size="sm"
            view={search.view}
            of={{
              table,
              definition: toDefinition(state),
              changed: (search.filters ?? search.sort ?? search.columns) !== undefined,
            }}
          />
          <ColumnsButton
            table={table}
            shown={fields}
            onChange={(chosen) => change({ columns: chosen as string[] })}
          />
          <a
            href={`/api/app/workspaces/${workspace.id}/tables/${table.slug}/export?${exported}`}
            download
            className={buttonClass("secondary", "sm")}
          >
            <Download aria-hidden />
            CSV
          </a>
          <IconButton
            size="sm"
            label="Read the table again"
            icon={<RefreshCw />}
            onClick={() => reloadRows(client, workspace.id, table.slug)}
          />
        </div>
      </div>
      {search.view && !view && (
        <p role="status" className="mb-3 rounded-md bg-warn-soft px-3 py-2 text-warn-ink">
          This view is gone, or its owner keeps it to themself. The whole table is shown instead.
        </p>
      )}
      {rows.error && (
        <div className="mb-3">
          <ErrorNote error={rows.error} retry={() => (loaded ? rows.fetchNextPage() : rows.refetch())} />
        </div>
      )}
      {!loaded && !rows.error && <SkeletonText lines={12} label="Loading the rows" />}
      {loaded?.length === 0 && (
        <NoRows table={table} filtered={filtered} onClear={() => change({ filters: {} })} />
      )}
      {loaded && loaded.length > 0 && (
        <Grid
          table={table}
          columns={columns}
          rows={loaded}
          more={rows.hasNextPage && !rows.isFetchNextPageError}
          loading={rows.isFetching}
          loadMore={loadMore}
          total={count.data && !count.data.more ? count.data.count : undefined}
          sort={state.sort}
          onSort={(field) => change({ sort: nextSort(state.sort, field) } as Partial<TableState>)}
          onOpen={open}
          open={search.record}
          canEdit={can("edit_records")}
          dimmed={rows.isPlaceholderData}
        />
      )}
      <Counted count={count.data} loaded={loaded?.length} />
      {search.record && (
        <Suspense>
          <RecordDrawer
            table={table}
            record={search.record}
            onClose={() => {
              const { record: _, ...rest } = search;
              show(rest, true);
            }}
          />
        </Suspense>
      )}
    </>
  );
}

interface CountedProps {
  count: { count: number; more: boolean } | undefined;
  loaded: number | undefined;
}

function Counted({ count, loaded }: CountedProps) {
  const { locale } = useLocale();
  if (!count || loaded === undefined) return <p className="mt-2 text-subtle text-xs">&nbsp;</p>;
  return (
    <p role="status" className="mt-2 text-subtle text-xs">
      {rows({ count: count.count, plus: count.more ? "+" : "" }, locale)}
      {(count.more || loaded < count.count) && loadedOf({ count: loaded }, locale)}
    </p>
  );
}

/** For the sheet; the grid itself acts on these. */
function useGridShortcuts() {
  const group = "Table";
  useShortcuts([
    { keys: "Arrows", label: "Move between cells", group },
    { keys: "Home", label: "First column; End: last", group },
    { keys: "mod+Home", label: "First row", group },
    { keys: "mod+End", label: "Last loaded row; loads on", group },
    { keys: "PageDown", label: "One screen down; PageUp: up", group },
    { keys: "Enter", label: "Edit the cell, or sort by the header", group },
    { keys: "Tab", label: "While editing: save and go on", group },
    { keys: "Esc", label: "While editing: leave it as it was", group },
    { keys: "o", label: "Open the record; or Space", group },
  ]);
}
