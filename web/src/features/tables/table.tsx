import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useRouter, useSearch } from "@tanstack/react-router";
import { ChevronLeft } from "lucide-react";
import { lazy, Suspense, useCallback, useMemo } from "react";
import { listViewsOptions } from "@/api/@tanstack/react-query.gen";
import type { Table, View } from "@/api/types.gen";
import { ViewsButton } from "@/features/views/views-button";
import { useLocale } from "@/lib/locale";
import { isMissing } from "@/lib/problem";
import { usePlace } from "@/lib/session";
import { useShortcuts } from "@/lib/shortcuts";
import { loaded as loadedOf, rows } from "@/messages/tables";
import { buttonClass } from "@/ui/button";
import { ErrorNote } from "@/ui/error-note";
import { Page } from "@/ui/page";
import { Missing } from "@/ui/page-states";
import { SkeletonText } from "@/ui/skeleton";
import { Grid } from "./grid";
import { mergeLinks, pageOf } from "./links";
import { NoRows } from "./no-rows";
import { countQuery, ordered, rowsQuery, shownColumns, tableQuery } from "./queries";
import { useSavedLayout } from "./saved-layout";
import {
  computedFor,
  nextSort,
  ownState,
  type TableSearch,
  type TableState,
  toDefinition,
  toQuery,
  toSearch,
  toState,
} from "./state";
import { TableBar } from "./table-bar";
import { UnknownNotice } from "./unknown-notice";

const RecordDrawer = lazy(async () => ({ default: (await import("./record-drawer")).RecordDrawer }));

const route = "/inside/w/$workspace/tables/$slug";

/** One table as a grid. The address holds its state. */
export function TablePage() {
  const { workspace, can } = usePlace();
  const { slug } = useParams({ from: route });
  const search = useSearch({ from: route });
  const found = useQuery(tableQuery(workspace.id, slug));
  const views = useQuery(listViewsOptions({ path: { workspace: workspace.id, table: slug } }));
  const table = found.data;
  if (isMissing(found.error)) return <Missing />;
  const error = found.error ?? (search.view ? views.error : null);
  // The link of a view must not show the whole table first.
  const ready = table && (!search.view || views.data);
  return (
    <Page
      wide
      title={table?.title ?? slug}
      actions={
        table &&
        !table.computed &&
        can("define_tables") && (
          <Link
            to="/w/$workspace/tables/$slug/columns"
            params={{ workspace: workspace.id, slug }}
            className={buttonClass("secondary", "sm")}
          >
            Define columns
          </Link>
        )
      }
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
      {error && <ErrorNote error={error} retry={() => Promise.all([found.refetch(), views.refetch()])} />}
      {!ready && !error && <SkeletonText lines={10} label="Loading the table" />}
      {ready && !table.computed && <UnknownNotice slug={slug} />}
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
  const go = useNavigate();
  const view = views.find((one) => one.id === search.view);
  const [layout, setLayout] = useSavedLayout(table.slug);
  const widths = useMemo(() => ({ ...view?.definition.widths, ...layout.widths }), [view, layout.widths]);
  const state = useMemo(() => ({ ...toState(search, view?.definition), widths }), [search, view, widths]);
  const columns = useMemo(
    () => shownColumns(table, state, view ? undefined : layout.columns),
    [table, state, view, layout.columns],
  );
  const fields = columns.map((column) => column.name);
  const asked = ordered(table, state);
  const rows = useInfiniteQuery(rowsQuery(workspace.id, table.slug, asked, fields));
  const count = useQuery(countQuery(workspace.id, table.slug, state));
  const loaded = useMemo(() => rows.data?.pages.flatMap((page) => page.items), [rows.data]);
  const links = useMemo(() => mergeLinks(rows.data?.pages.map((page) => page.links) ?? []), [rows.data]);

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
  /** The columns: those of the view, or without one those of this person's layout. */
  const arrange = (chosen: string[] | undefined) => {
    if (!view) setLayout(chosen && { columns: chosen });
    else if (!chosen) setLayout(undefined);
    change({ columns: chosen });
  };
  const { history } = useRouter();
  /** Opens a record's own page, or else the record beside the table. */
  const open = useCallback(
    (record: string) => {
      const page = pageOf(workspace.id, table.slug, record);
      if (page) history.push(page);
      else show({ ...search, record });
    },
    [show, search, history, workspace.id, table.slug],
  );
  const { fetchNextPage } = rows;
  const loadMore = useCallback(() => void fetchNextPage(), [fetchNextPage]);
  useGridShortcuts();

  const filtered = Object.keys(state.filters).length > 0;
  return (
    <>
      <TableBar
        table={table}
        state={state}
        fields={fields}
        exported={toQuery(asked, fields)}
        asOf={rows.data?.pages[0]?.as_of}
        onChange={change}
        onArrange={arrange}
      >
        <ViewsButton
          size="sm"
          view={search.view}
          of={{
            table,
            // Includes the columns shown, even if they come only from this person's layout.
            definition: toDefinition({
              ...state,
              columns: state.columns ?? (view ? undefined : layout.columns),
            }),
            changed: ownState(search) !== undefined,
          }}
        />
      </TableBar>
      {search.view && !view && (
        <p role="status" className="mb-3 rounded-md bg-warn-soft px-3 py-2 text-warn-ink">
          This view was deleted, or it is private. The whole table is shown instead.
        </p>
      )}
      {rows.error && (
        <div className="mb-3">
          <ErrorNote error={rows.error} retry={() => (loaded ? rows.fetchNextPage() : rows.refetch())} />
        </div>
      )}
      {!loaded && !rows.error && <SkeletonText lines={12} label="Loading the rows" />}
      {loaded?.length === 0 && (
        <NoRows
          table={table}
          filtered={filtered}
          search={state.search}
          onClear={() => change({ filters: {}, search: undefined })}
        />
      )}
      {loaded && loaded.length > 0 && (
        <Grid
          table={table}
          columns={columns}
          rows={loaded}
          links={links}
          widths={widths}
          onResize={(next) => setLayout({ widths: next })}
          more={rows.hasNextPage && !rows.isFetchNextPageError}
          loading={rows.isFetching}
          loadMore={loadMore}
          total={count.data && !count.data.more ? count.data.count : undefined}
          sort={state.sort}
          onSort={(field) => change({ sort: nextSort(state.sort, field) })}
          onOpen={open}
          open={search.record}
          canEdit={can("edit_records")}
          dimmed={rows.isPlaceholderData}
        />
      )}
      <Counted
        count={count.data}
        loaded={loaded?.length}
        cut={rows.data?.pages[0]?.search_cut ? state.search : undefined}
      />
      {search.record && (
        <Suspense>
          <RecordDrawer
            table={table}
            record={search.record}
            given={computedFor(state)}
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
  /** The search text, if more records match than the search returns. */
  cut: string | undefined;
}

function Counted({ count, loaded, cut }: CountedProps) {
  const { locale } = useLocale();
  if (!count || loaded === undefined) return <p className="mt-2 text-subtle text-xs">&nbsp;</p>;
  return (
    <p role="status" className="mt-2 text-subtle text-xs">
      {rows({ count: count.count, plus: count.more ? "+" : "" }, locale)}
      {(count.more || loaded < count.count) && loadedOf({ count: loaded }, locale)}
      {cut && `, of the first 200 matches for “${cut}”; type more to narrow the search`}
    </p>
  );
}

/** Lists keys in the sheet of shortcuts; the grid itself handles them. */
function useGridShortcuts() {
  const group = "Table";
  useShortcuts([
    { keys: "Arrows", label: "Move between cells", group },
    { keys: "Home", label: "First column; End: last", group },
    { keys: "mod+Home", label: "First row", group },
    { keys: "mod+End", label: "Last loaded row; loads more", group },
    { keys: "PageDown", label: "One screen down; PageUp: up", group },
    { keys: "Enter", label: "Edit the cell, or sort by the header", group },
    { keys: "Tab", label: "While editing: save and go to the next cell", group },
    { keys: "Esc", label: "While editing: cancel", group },
    { keys: "o", label: "Open the record; or Space", group },
    { keys: "mod+Enter", label: "Go to the record that a cell refers to", group },
    { keys: "Alt+Arrows", label: "On a header: wider or narrower", group },
  ]);
}
