import { cx } from "@/lib/cx";
import { useWide } from "@/lib/media";
import { usePlace } from "@/lib/session";
import { lazyDialog } from "@/ui/lazy-dialog";
import { lazyPart } from "@/ui/lazy-part";
import { SkeletonText } from "@/ui/skeleton";
import { Frame } from "./frame";
import { ListActions } from "./list-actions";
import { RowList } from "./row-list";
import { type Rows, useRows } from "./use-rows";

// Loaded on demand, because reading the list needs none of them.
const panel = () => import("./failure-panel");
const FailurePanel = lazyPart(async () => (await panel()).FailurePanel, Loading);
const FailureDetailPage = lazyPart(async () => (await panel()).FailureDetailPage, Loading);
const FailureBar = lazyPart(async () => (await import("./failure-bar")).FailureBar);
const DismissDialog = lazyDialog(async () => (await import("./dismiss-dialog")).DismissDialog);

/** The list of failed imports, with one of them open beside it. */
export function FailureRowsPage() {
  const rows = useRows();
  const wide = useWide("lg");
  const { open, dismissing } = rows;
  return (
    <>
      {open && !wide ? (
        <FailureDetailPage key={open} {...panelProps(rows, open)} />
      ) : (
        <ListPage rows={rows} />
      )}
      {dismissing.length > 0 && (
        <DismissDialog failures={dismissing} close={() => rows.dismiss([])} done={rows.selection.clear} />
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
  const { search, status, total, open, chosen, selection } = rows;
  return (
    <Frame view="rows" actions={<ListActions status={status} filter={search} total={total} />}>
      <div
        onPointerEnter={() => void panel().catch(() => undefined)}
        className={cx(open && "grid grid-cols-[minmax(17rem,2fr)_minmax(0,5fr)] items-start gap-4")}
      >
        <RowList rows={rows} selectable={can("retry_failures") && status !== "resolved"} />
        {open && <FailurePanel key={open} {...panelProps(rows, open)} />}
      </div>
      {chosen.length > 0 && (
        <FailureBar
          chosen={chosen}
          status={status}
          filter={search}
          total={total}
          clear={selection.clear}
          onRetry={() => rows.many.run(chosen)}
          progress={rows.many.progress}
          onDismiss={() => rows.dismiss(chosen)}
        />
      )}
    </Frame>
  );
}
