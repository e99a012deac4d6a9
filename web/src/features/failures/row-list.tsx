import { Link } from "@tanstack/react-router";
import type { Failure } from "@/api/types.gen";
import { useWide } from "@/lib/media";
import { usePlace } from "@/lib/session";
import { type Column, DataList } from "@/ui/data-list";
import { Num } from "@/ui/num";
import { Time } from "@/ui/time";
import type { FailureStatus } from "./filter";
import { NothingFailed } from "./nothing-failed";
import { useTables } from "./queries";
import { Reason } from "./reason";
import { messageBeside } from "./reasons";
import type { Rows } from "./use-rows";
import { useFailureSearch, views } from "./use-search";

interface RowListProps {
  rows: Rows;
  /** False if the person has no action on selected rows. */
  selectable: boolean;
}

export function RowList({ rows, selectable }: RowListProps) {
  const { search, status, go } = useFailureSearch("rows");
  const title = useTables();
  const { list, total, ids, onMove, selection, open } = rows;
  // Beside an open row, and on a phone, there is room for one column.
  const roomy = useWide("md") && open === undefined;
  return (
    <DataList
      caption={`${status} failed imports`}
      noun="row"
      list={list}
      idOf={(failure) => failure.id}
      nameOf={(failure) => failure.record_key ?? "the record without a key"}
      columns={roomy ? wideColumns(status, search.table ? undefined : title) : narrowColumns}
      empty={<NothingFailed view="rows" />}
      selection={selectable ? selection : undefined}
      total={total}
      ids={ids}
      open={open}
      onMove={onMove}
      onOpen={(failure) => go({ ...search, open: failure.id }, { replace: open !== undefined })}
    />
  );
}

/** `title` names the table of a row; absent if all rows are of one table. */
const wideColumns = (
  status: FailureStatus,
  title: ((slug: string) => string) | undefined,
): Column<Failure>[] => [
  { id: "record", head: "Record", className: "max-w-56", cell: (one) => <RecordLink failure={one} /> },
  {
    id: "wrong",
    head: "What was wrong",
    className: "w-full max-w-0",
    cell: (one) => (
      <span className="flex items-baseline gap-2">
        <span className="shrink-0">
          <Reason code={one.code} field={one.field} />
        </span>
        <span className="min-w-0 truncate text-muted" title={one.message}>
          {one.closed_reason ?? messageBeside(one.field, one.message)}
        </span>
      </span>
    ),
  },
  ...(title
    ? [
        {
          id: "table",
          head: "Table",
          className: "whitespace-nowrap text-muted",
          cell: (one: Failure) => title(one.slug),
        },
      ]
    : []),
  { id: "seen", head: "Seen", num: true, className: "text-muted", cell: (one) => <Num value={one.seen} /> },
  {
    id: "when",
    head: status === "open" ? "Last seen" : "Closed",
    className: "text-muted",
    cell: (one) => <Time value={when(one)} />,
  },
];

const narrowColumns: Column<Failure>[] = [
  {
    id: "record",
    head: "Record",
    className: "w-full max-w-0 py-1.5",
    cell: (one) => (
      <>
        <span className="flex items-baseline justify-between gap-3">
          <RecordLink failure={one} />
          <span className="shrink-0 text-right text-subtle text-xs">
            <Time value={when(one)} />
          </span>
        </span>
        <span className="block truncate text-muted text-xs" title={one.message}>
          {one.closed_reason ?? one.message}
        </span>
      </>
    ),
  },
];

const when = (failure: Failure) => failure.closed_at ?? failure.last_seen_at;

function RecordLink({ failure }: { failure: Failure }) {
  const { workspace } = usePlace();
  const { search } = useFailureSearch("rows");
  return (
    <Link
      to={views.rows}
      params={{ workspace: workspace.id }}
      search={{ ...search, open: failure.id }}
      replace={search.open !== undefined}
      resetScroll={false}
      aria-current={search.open === failure.id || undefined}
      className="block truncate rounded-sm font-medium"
    >
      {failure.record_key ? (
        <span className="font-mono text-xs">{failure.record_key}</span>
      ) : (
        <span className="text-muted">no key</span>
      )}
    </Link>
  );
}
