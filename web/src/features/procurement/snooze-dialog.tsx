import { useMutation } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { snoozeRecommendation } from "@/api/sdk.gen";
import type { Recommendation } from "@/api/types.gen";
import { eachOf } from "@/lib/each";
import { toApiError } from "@/lib/problem";
import { usePlace } from "@/lib/session";
import { dayIn, formatDay, shiftDay } from "@/lib/time";
import { putOff, putOffUntil } from "@/messages/procurement";
import { Button } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { ErrorNote } from "@/ui/error-note";
import { Field } from "@/ui/field";
import { Input } from "@/ui/input";
import { toast } from "@/ui/toast";
import { useRestore } from "./decisions";
import { laterDays, mostDaysOff } from "./later";
import { useReloadQueue } from "./queries";

interface SnoozeDialogProps {
  rows: readonly Recommendation[];
  onClosed: () => void;
  onDone: () => void;
}

/** Puts rows off until a day. */
export function SnoozeDialog({ rows, onClosed, onDone }: SnoozeDialogProps) {
  const { workspace } = usePlace();
  const { locale } = workspace;
  const [typed, setTyped] = useState("");
  const first = useRef<HTMLButtonElement>(null);
  const { mutate, error, isPending } = useSnooze(rows, onDone);
  const today = dayIn(workspace.time_zone, new Date());
  const failure = error ? toApiError(error) : undefined;
  return (
    <Dialog
      title={putOff({ count: rows.length, name: rows[0]?.name ?? "" }, locale)}
      description="Until that day it is among those put off. It comes back earlier if it becomes critical."
      initialFocus={first}
      open
      onOpenChange={(open) => !open && !isPending && onClosed()}
    >
      <div className="flex flex-col gap-4">
        <div className="flex flex-col gap-1.5">
          {laterDays(today).map(({ label, day }, index) => (
            <Button
              key={label}
              ref={index === 0 ? first : null}
              disabled={isPending}
              onClick={() => mutate(day)}
            >
              {label}
              <span className="font-normal text-muted">
                {formatDay(day, locale, { weekday: "short", day: "numeric", month: "short" })}
              </span>
            </Button>
          ))}
        </div>
        <form
          className="flex items-end gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            if (typed) mutate(typed);
          }}
        >
          <Field label="Until another day" error={failure?.fieldError("until")} className="flex-1">
            <Input
              type="date"
              min={shiftDay(today, 1)}
              max={shiftDay(today, mostDaysOff)}
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
            />
          </Field>
          <Button type="submit" disabled={!typed} loading={isPending}>
            Put off
          </Button>
        </form>
        {failure && !failure.fieldError("until") && <ErrorNote error={failure} />}
      </div>
    </Dialog>
  );
}

function useSnooze(rows: readonly Recommendation[], onDone: () => void) {
  const { workspace } = usePlace();
  const reload = useReloadQueue();
  const restore = useRestore();
  return useMutation({
    mutationFn: (until: string) =>
      eachOf(rows, ({ recommendation_key }) =>
        snoozeRecommendation({
          path: { workspace: workspace.id },
          body: { recommendation_key, until },
          throwOnError: true,
        }),
      ),
    onSuccess: (_, until) => {
      onDone();
      const day = formatDay(until, workspace.locale);
      const said = { count: rows.length, name: rows[0]?.name ?? "", day };
      toast.success(putOffUntil(said, workspace.locale), { undo: () => restore(rows) });
    },
    onSettled: reload,
  });
}
