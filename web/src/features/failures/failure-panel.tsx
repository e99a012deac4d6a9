import { Link } from "@tanstack/react-router";
import { ChevronLeft, X } from "lucide-react";
import { lazy, Suspense } from "react";
import type { Failure, FailureDetail, TestAnswer } from "@/api/types.gen";
import { useDrafts } from "@/lib/edit";
import { usePlace } from "@/lib/session";
import { StatusBadge } from "@/ui/badge";
import { CopyButton } from "@/ui/copy-button";
import { ErrorNote } from "@/ui/error-note";
import { IconButton } from "@/ui/icon-button";
import { Page } from "@/ui/page";
import { SkeletonText } from "@/ui/skeleton";
import { Time } from "@/ui/time";
import { Attempts } from "./attempts";
import { ErrorList } from "./error-list";
import { Facts } from "./facts";
import { FailureActions } from "./failure-actions";
import { OutcomeNote } from "./outcome-note";
import { PartHeading } from "./part";
import { Payload } from "./payload";
import { useColumns, useFailure, useTables } from "./queries";
import { payloadThing } from "./use-payload-edit";
import type { Outcome, Retry } from "./use-retry";
import { useFailureSearch, views } from "./use-search";

// Loaded on demand, because most people only read a failed import.
const EditPayload = lazy(async () => ({ default: (await import("./edit-payload")).EditPayload }));

export interface PanelProps {
  id: string;
  editing: boolean;
  onEdit: (on: boolean) => void;
  onDismiss: (failures: Failure[]) => void;
  onClose: () => void;
  onRetry: (retry: Retry) => void;
  onSend: (retry: Retry) => Promise<TestAnswer>;
  retrying: boolean;
  outcome: Outcome | undefined;
}

/** One failed import beside the list. Not a dialog, so that keys still move through the rows. */
export function FailurePanel(props: PanelProps) {
  const { data, error, refetch } = useFailure(props.id);
  return (
    <section
      aria-label="Failed import"
      className="sticky top-16 flex max-h-[calc(100dvh-5rem)] min-w-0 flex-col overflow-hidden rounded-lg border border-line bg-surface shadow-card"
    >
      <header className="flex items-start gap-2 border-line border-b px-4 py-3">
        <div className="min-w-0 flex-1">
          <h2 className="flex min-w-0 items-center gap-2 font-semibold text-base">
            <Title failure={data?.failure} />
          </h2>
          {data && <About failure={data.failure} />}
        </div>
        <IconButton label="Close" icon={<X />} size="sm" onClick={props.onClose} className="-mr-1.5" />
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard */}
      <div tabIndex={0} className="-outline-offset-2! relative min-h-0 flex-1 overflow-y-auto px-4 py-3">
        {error && <ErrorNote error={error} retry={refetch} />}
        {!data && !error && <SkeletonText lines={10} label="Loading the failed import" />}
        {data && <Body detail={data} {...props} />}
      </div>
    </section>
  );
}

/** The same as a page of its own, if there is no room beside the list. */
export function FailureDetailPage(props: PanelProps) {
  const { workspace } = usePlace();
  const { search } = useFailureSearch("rows");
  const { data, error, refetch } = useFailure(props.id);
  const { open: _, ...list } = search;
  return (
    <Page
      title={<Title failure={data?.failure} />}
      description={data && <About failure={data.failure} />}
      above={
        <Link
          to={views.rows}
          params={{ workspace: workspace.id }}
          search={list}
          className="-ml-1 inline-flex items-center gap-0.5 rounded-sm text-muted hover:text-ink"
        >
          <ChevronLeft className="size-4" aria-hidden />
          Failed imports
        </Link>
      }
    >
      {error && <ErrorNote error={error} retry={refetch} />}
      {!data && !error && <SkeletonText lines={10} label="Loading the failed import" />}
      {data && (
        <PartHeading value="h2">
          <Body detail={data} {...props} />
        </PartHeading>
      )}
    </Page>
  );
}

function Title({ failure }: { failure: Failure | undefined }) {
  if (!failure) return "Failed import";
  return (
    <span className="flex min-w-0 items-center gap-2">
      <span className="min-w-0 truncate">{failure.record_key ?? "A record without a key"}</span>
      <StatusBadge status={failure.status} />
    </span>
  );
}

function About({ failure }: { failure: Failure }) {
  const { workspace } = usePlace();
  const title = useTables();
  return (
    <span className="flex flex-wrap items-center gap-x-1.5 text-muted text-sm">
      <Link
        to="/w/$workspace/sources/$slug"
        params={{ workspace: workspace.id, slug: failure.slug }}
        className="inline-flex min-h-6 items-center rounded-sm hover:text-ink hover:underline"
      >
        {title(failure.slug)}
      </Link>
      <span aria-hidden>·</span>
      <span>
        failed <Time value={failure.last_seen_at} />
      </span>
      <CopyButton value={linkTo(workspace.id, failure)} label="Copy a link to it" />
    </span>
  );
}

function linkTo(workspace: string, failure: Failure): string {
  const status = failure.status === "open" ? "" : `status=${failure.status}&`;
  return `${location.origin}/w/${workspace}/failures/rows?${status}open=${failure.id}`;
}

function Body({ detail, ...props }: PanelProps & { detail: FailureDetail }) {
  const { can } = usePlace();
  const columns = useColumns(detail.failure.slug);
  const { failure } = detail;
  const mayAct = can("retry_failures");
  // The draft stays visible, even if somebody else has stored the record meanwhile.
  const typed = useDrafts()(payloadThing(failure.id)).length > 0;
  const editing = mayAct && (typed || (props.editing && failure.status !== "resolved"));
  return (
    <div className="flex flex-col gap-5">
      {mayAct && !editing && <FailureActions failure={failure} {...props} />}
      {props.outcome && !editing && (
        <OutcomeNote outcome={props.outcome} onRetry={props.onRetry} retrying={props.retrying} />
      )}
      {failure.closed_at && (
        <p className="rounded-md bg-sunken px-3 py-2 text-muted">
          {failure.status === "ignored" ? "Dismissed" : "Resolved"} <Time inline value={failure.closed_at} />
          {failure.closed_reason && <>: {failure.closed_reason}</>}
        </p>
      )}
      <ErrorList detail={detail} columns={columns} />
      {editing ? (
        <Suspense fallback={<SkeletonText lines={8} label="Loading the editor" />}>
          <EditPayload detail={detail} columns={columns} {...props} />
        </Suspense>
      ) : (
        <Payload detail={detail} />
      )}
      <Attempts detail={detail} />
      <Facts failure={failure} />
    </div>
  );
}
