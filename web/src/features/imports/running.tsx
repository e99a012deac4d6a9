import { useEffect, useState } from "react";
import type { Import } from "@/api/types.gen";
import { useLocale } from "@/lib/locale";
import { usePlace } from "@/lib/session";
import { perSecond as recordsPerSecond } from "@/messages/imports";
import { doneOf } from "@/messages/parts";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { Progress } from "@/ui/progress";
import { toast } from "@/ui/toast";
import { Counts } from "./counts";
import { useCancelImport } from "./queries";
import { type Moment, note, perSecond, timeLeft } from "./rate";

/** A running import. Leaving the page does not stop it. */
export function Running({ one }: { one: Import }) {
  const { can } = usePlace();
  const { locale } = useLocale();
  const { cancel, cancelling } = useCancelImport(one.id);
  const rate = useRate(one);
  const left = timeLeft(one.total - one.done, rate, locale);
  return (
    <Card
      title={one.status === "queued" ? "Waiting for its turn" : "Importing"}
      description="It continues if you leave this page, and after a restart of the service."
      actions={
        can("import_records") && (
          <Button
            loading={cancelling}
            disabled={one.cancelling}
            onClick={() =>
              void cancel().catch((error: unknown) => toast.error(error, "The import is still running"))
            }
          >
            {one.cancelling ? "Stopping…" : "Cancel"}
          </Button>
        )
      }
    >
      <Progress
        label="Imported"
        parts={[
          { value: one.created + one.updated, tone: "good" },
          { value: one.unchanged, tone: "neutral" },
          { value: one.refused, tone: "bad" },
        ]}
        total={one.total}
        busy
      />
      <p className="mt-2 flex flex-wrap gap-x-3 text-muted tabular-nums">
        <span>{doneOf({ done: one.done, total: one.total }, locale)}</span>
        {rate > 0 && <span>{recordsPerSecond({ count: Math.round(rate) }, locale)}</span>}
        {left !== undefined && <span>{left}</span>}
      </p>
      <Counts one={one} />
    </Card>
  );
}

/** The recent number of records per second; at first, since the start. */
function useRate(one: Import): number {
  const [moments, setMoments] = useState<readonly Moment[]>([]);
  useEffect(() => setMoments((before) => note(before, { at: Date.now(), done: one.done })), [one.done]);
  const started = one.started_at ? new Date(one.started_at).getTime() : undefined;
  return perSecond(moments, started);
}
