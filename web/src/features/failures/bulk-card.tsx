import { Link } from "@tanstack/react-router";
import { Ban, CircleAlert, CircleCheck, Clock, LoaderCircle } from "lucide-react";
import type { Bulk } from "@/api/types.gen";
import { formatNumber } from "@/lib/format";
import { useLocale } from "@/lib/locale";
import { usePlace } from "@/lib/session";
import { bulkOf, imports } from "@/messages/failure";
import { doneOf } from "@/messages/parts";
import { Badge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { Progress } from "@/ui/progress";
import { Time } from "@/ui/time";
import { useWho } from "./attempts";
import { isGoing, useCancel } from "./bulk-queries";
import { readFilter } from "./filter";
import { FilterWords } from "./filter-words";
import { fixWords } from "./fixes";
import { views } from "./use-search";

/** One bulk retry: its filter, progress and result. */
export function BulkCard({ bulk }: { bulk: Bulk }) {
  const { workspace, can } = usePlace();
  const { locale } = useLocale();
  const who = useWho();
  const cancel = useCancel();
  const going = isGoing(bulk);
  const { plan, total, succeeded, refused, newer, skipped } = bulk;
  const left = refused + newer;
  return (
    <article aria-label={bulkOf({ count: total }, locale)} className="px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <h2 className="font-medium">{imports({ count: total }, locale)}</h2>
        <BulkBadge bulk={bulk} />
        <FilterWords filter={plan.filter} />
        <span className="ml-auto text-right text-subtle text-xs">
          {who(bulk.by_type, bulk.by_id)}, <Time value={bulk.created_at} />
        </span>
      </div>
      {plan.fixes && plan.fixes.length > 0 && (
        <p className="mt-1 text-muted wrap-anywhere">{capital(plan.fixes.map(fixWords).join("; "))}</p>
      )}
      {plan.overwrite && <p className="text-muted">Newer rows are overwritten.</p>}
      <div className="mt-2.5 flex items-center gap-3">
        <Progress
          label="Retried"
          parts={[
            { value: succeeded, tone: "good" },
            { value: refused, tone: "bad" },
            { value: newer, tone: "warn" },
            { value: skipped, tone: "neutral" },
          ]}
          total={total}
          busy={going}
        />
        {going && can("retry_failures") && (
          <Button
            size="sm"
            loading={cancel.isPending}
            disabled={bulk.cancelling}
            onClick={() => cancel.mutate(bulk)}
          >
            {bulk.cancelling ? "Stopping…" : "Cancel"}
          </Button>
        )}
      </div>
      <p className="mt-1.5 flex flex-wrap gap-x-3 text-muted text-xs tabular-nums">
        {going && <span>{doneOf({ done: bulk.done, total }, locale)}</span>}
        <span>{formatNumber(succeeded, locale)} stored</span>
        {refused > 0 && <span className="text-bad-ink">{formatNumber(refused, locale)} refused again</span>}
        {newer > 0 && (
          <span className="text-warn-ink">{formatNumber(newer, locale)} not overwritten, changed since</span>
        )}
        {skipped > 0 && <span>{formatNumber(skipped, locale)} skipped, handled by others meanwhile</span>}
        {bulk.status === "cancelled" && <span>{formatNumber(total - bulk.done, locale)} not tried</span>}
        {!going && (left > 0 || bulk.status !== "done") && (
          <Link
            to={views.rows}
            params={{ workspace: workspace.id }}
            search={readFilter({ ...plan.filter, since: undefined, until: undefined })}
            className="rounded-sm text-accent-ink hover:underline"
          >
            See what is still open
          </Link>
        )}
      </p>
      {bulk.message && <p className="mt-1.5 text-bad-ink">{bulk.message}</p>}
    </article>
  );
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function BulkBadge({ bulk }: { bulk: Bulk }) {
  switch (bulk.status) {
    case "queued":
      return <Badge icon={<Clock aria-hidden />}>Queued</Badge>;
    case "running":
      return (
        <Badge tone="info" icon={<LoaderCircle className="animate-spin" aria-hidden />}>
          Running
        </Badge>
      );
    case "done":
      return (
        <Badge tone="good" icon={<CircleCheck aria-hidden />}>
          Done
        </Badge>
      );
    case "cancelled":
      return <Badge icon={<Ban aria-hidden />}>Cancelled</Badge>;
    case "failed":
      return (
        <Badge tone="bad" icon={<CircleAlert aria-hidden />}>
          Stopped
        </Badge>
      );
  }
}
