import { useInfiniteQuery } from "@tanstack/react-query";
import type { Entry, Row, Table } from "@/api/types.gen";
import { useLocale } from "@/lib/locale";
import { usePlace } from "@/lib/session";
import { delivered } from "@/messages/tables";
import { Badge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { ErrorNote } from "@/ui/error-note";
import { SkeletonText } from "@/ui/skeleton";
import { Time } from "@/ui/time";
import { collapse, valueBefore, writer } from "./history";
import type { Links } from "./links";
import { historyQuery } from "./queries";
import { formatValue } from "./value";

/** Who, or which key, wrote which values, newest first. */
export function RecordHistory({ table, row }: { table: Table; row: Row }) {
  const { workspace } = usePlace();
  const query = useInfiniteQuery(historyQuery(workspace.id, table.slug, row.id));
  const entries = query.data?.pages.flatMap((page) => page.items);
  return (
    <section aria-labelledby="history" className="mt-6">
      <h3 id="history" className="mb-1 font-semibold text-base">
        History
      </h3>
      {query.error && <ErrorNote error={query.error} retry={query.refetch} />}
      {!entries && !query.error && <SkeletonText lines={4} label="Loading the history" />}
      {entries?.length === 0 && (
        <p className="text-muted">No recent changes. History is kept for some weeks.</p>
      )}
      {entries && (
        <ol>
          {collapse(entries).map(({ entry, unchanged }) => (
            <li key={entry.id} className="border-line border-b py-2.5 last:border-0">
              {entry.result === "stale" ? (
                <p className="text-muted">
                  An older delivery came late and changed nothing. <Time inline value={entry.at} /> by{" "}
                  {writer(entry)}
                </p>
              ) : unchanged > 0 ? (
                <p className="text-muted">
                  {delivered({ count: unchanged }, workspace.locale)} <Time inline value={entry.at} /> by{" "}
                  {writer(entry)}
                </p>
              ) : (
                <Written
                  table={table}
                  entry={entry}
                  before={(name) => valueBefore(entries, entries.indexOf(entry), name)}
                  links={row.links ?? {}}
                />
              )}
            </li>
          ))}
        </ol>
      )}
      {query.hasNextPage && (
        <Button size="sm" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          Show older
        </Button>
      )}
    </section>
  );
}

interface WrittenProps {
  table: Table;
  entry: Entry;
  /** What a field was before, or undefined if that is not known. */
  before: (name: string) => unknown;
  links: Links;
}

const id = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function Written({ table, entry, before, links }: WrittenProps) {
  const locale = useLocale();
  const said = (name: string, value: unknown) => {
    const column = table.columns.find((one) => one.name === name) ?? { type: "text" as const };
    const linked = links[name]?.[String(value)]?.label;
    // The records that it referred to before are not named here.
    const other =
      "references" in column && column.references && id.test(String(value)) ? "another record" : undefined;
    return linked ?? other ?? (formatValue(column, value, locale) || "empty");
  };
  return (
    <>
      <p className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
        <Badge tone={entry.result === "created" ? "good" : "info"}>{entry.result}</Badge>
        <span className="font-medium">{writer(entry)}</span>
        <Time value={entry.at} />
      </p>
      <dl className="mt-1.5 grid grid-cols-[minmax(7rem,2fr)_3fr] gap-x-4 gap-y-0.5 text-xs">
        {Object.entries(entry.values).map(([name, value]) => {
          const column = table.columns.find((one) => one.name === name);
          const was = entry.result === "created" ? undefined : before(name);
          return (
            <div key={name} className="contents">
              <dt className="text-muted">{column?.label ?? name}</dt>
              <dd className="line-clamp-3 min-w-0 break-words">
                {was !== undefined && `${said(name, was)} → `}
                {said(name, value)}
              </dd>
            </div>
          );
        })}
      </dl>
      <p className="mt-1 flex items-center gap-1 text-subtle text-xs">
        <span>
          Request <code className="font-mono">…{entry.request_id.slice(-8)}</code>
        </span>
        <CopyButton value={entry.request_id} label="Copy the request id" />
      </p>
    </>
  );
}
