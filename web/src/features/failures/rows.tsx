import { lazy, Suspense } from "react";
import { cx } from "@/lib/cx";
import { useWide } from "@/lib/media";
import { usePlace } from "@/lib/session";
import { ErrorNote } from "@/ui/error-note";
import { lazyDialog } from "@/ui/lazy-dialog";
import { LiveNote } from "@/ui/live-note";
import { SkeletonText } from "@/ui/skeleton";
import { BulkBar } from "./bulk-bar";
import { Frame } from "./frame";
import { ListActions } from "./list-actions";
import { RowList } from "./row-list";
import { type Rows, useRows } from "./use-rows";

// Whoever only looks through the list needs neither.
const panel = () => import("./failure-panel");
const FailurePanel = lazy(async () => ({ default: (await panel()).FailurePanel }));
const FailureDetailPage = lazy(async () => ({ default: (await panel()).FailureDetailPage }));
const DismissDialog = lazyDialog(async () => (await import("./dismiss-dialog")).DismissDialog);

/** Failed imports one by one, and one of them beside the list. */
export function FailureRowsPage() {
  const rows = useRows();
  const wide = useWide("lg");
  const { open, dismissing } = rows;
  return (
    <>
      {open && !wide ? (
        <Suspense fallback={<Loading />}>
          <FailureDetailPage key={open} {...panelProps(rows, open)} />
        </Suspense>
      ) : (
        <ListPage rows={rows} />
      )}
      {dismissing.length > 0 && (
        <DismissDialog
          failures={dismissing}
          close={() => rows.dismiss([])}
          done={() => rows.select(new Set())}
        />
      )}
    </>
  );
}

function Loading() {
  return <SkeletonText lines={8} label="Loading the failed import" />;
}

function panelProps(rows: Rows, open: string) {
  return {
    id: open,
    editing: rows.editing === open,
    onEdit: (on: boolean) => rows.edit(on ? open : undefined),
    onDismiss: rows.dismiss,
    onClose: rows.close,
    onRetry: rows.one.retry,
    onSend: rows.one.send,
    retrying: rows.one.retrying === open,
    outcome: rows.one.outcome(open),
  };
}

function ListPage({ rows }: { rows: Rows }) {
  const { can } = usePlace();
  const { search, status, list, total, open, chosen } = rows;
  return (
    <Frame view="rows" actions={<ListActions status={status} filter={search} total={total} />}>
      {list.error && !list.failures && <ErrorNote error={list.error} retry={list.refetch} />}
      <LiveNote of={list} {...list.live} />
      {!list.failures && !list.error && <SkeletonText lines={8} label="Loading the failed imports" />}
      {list.failures && (
        <div
          onPointerEnter={() => void panel().catch(() => undefined)}
          className={cx(open && "grid grid-cols-[minmax(17rem,2fr)_minmax(0,5fr)] items-start gap-4")}
        >
          <RowList
            list={list}
            total={total}
            compact={open !== undefined}
            selected={can("retry_failures") && status !== "resolved" ? rows.selected : undefined}
            onSelect={rows.select}
            keys={rows.keys}
          />
          {open && (
            <Suspense fallback={<Loading />}>
              <FailurePanel key={open} {...panelProps(rows, open)} />
            </Suspense>
          )}
        </div>
      )}
      {chosen.length > 0 && (
        <BulkBar
          chosen={chosen}
          status={status}
          filter={search}
          total={total}
          clear={() => rows.select(new Set())}
          onRetry={() => rows.many.run(chosen)}
          progress={rows.many.progress}
          onDismiss={() => rows.dismiss(chosen)}
        />
      )}
    </Frame>
  );
}
