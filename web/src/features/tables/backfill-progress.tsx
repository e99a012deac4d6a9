import { Link } from "@tanstack/react-router";
import type { Backfill } from "@/api/types.gen";
import { formatNumber } from "@/lib/format";
import { useLocale } from "@/lib/locale";
import { usePlace } from "@/lib/session";
import { doneOf } from "@/messages/parts";
import { failedWaiting, filledIn, refusedValues } from "@/messages/tables";
import { Button } from "@/ui/button";
import { Progress } from "@/ui/progress";
import { isGoing, type useUnknownActions } from "./unknown";

interface BackfillProgressProps {
  backfill: Backfill;
  actions: ReturnType<typeof useUnknownActions>;
}

/** How far a backfill is, and what became of every value. */
export function BackfillProgress({ backfill, actions }: BackfillProgressProps) {
  const { locale } = useLocale();
  const { workspace } = usePlace();
  const going = isGoing(backfill);
  const { filled, refused, gone, already_set, empty, waiting, without, total, looked } = backfill;
  const count = (n: number) => formatNumber(n, locale);
  return (
    <div className="mt-2">
      <div className="flex items-center gap-3">
        <Progress
          label={`Filling ${backfill.column}`}
          parts={[
            { value: filled, tone: "good" },
            { value: refused, tone: "bad" },
            { value: gone + waiting, tone: "warn" },
            { value: already_set + empty + without, tone: "neutral" },
          ]}
          total={total}
          busy={going}
        />
        {going && (
          <Button
            size="sm"
            loading={actions.cancel.isPending}
            disabled={backfill.cancelling}
            onClick={() => actions.cancel.mutate(backfill)}
          >
            {backfill.cancelling ? "Stopping…" : "Cancel"}
          </Button>
        )}
      </div>
      <p role="status" className="mt-1.5 flex flex-wrap gap-x-3 text-muted text-xs tabular-nums">
        {going && <span>{doneOf({ done: looked, total }, locale)}</span>}
        <span className="text-good-ink">{filledIn({ count: filled }, locale)}</span>
        {already_set > 0 && <span>{count(already_set)} had a value already</span>}
        {gone > 0 && <span>{count(gone)} without a record</span>}
        {refused > 0 && <span className="text-bad-ink">{refusedValues({ count: refused }, locale)}</span>}
        {empty > 0 && <span>{count(empty)} empty</span>}
        {waiting > 0 && (
          <Link
            to="/w/$workspace/failures"
            params={{ workspace: workspace.id }}
            search={{ table: backfill.table }}
            className="rounded-sm text-accent-ink hover:underline"
          >
            {failedWaiting({ count: waiting }, locale)}
          </Link>
        )}
        {backfill.status === "cancelled" && <span>Cancelled</span>}
      </p>
      {backfill.message && <p className="mt-1.5 text-bad-ink">{backfill.message}</p>}
      {backfill.refusals.length > 0 && (
        <ul aria-label="Values that do not fit" className="mt-1.5 text-xs">
          {backfill.refusals.map(({ record_key, message }) => (
            <li key={`${record_key} ${message}`} className="text-muted wrap-anywhere">
              <span className="font-mono">{record_key}</span>: {message}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
