import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { dismissFailure } from "@/api/sdk.gen";
import type { Failure } from "@/api/types.gen";
import { eachOf } from "@/lib/each";
import { plural } from "@/lib/format";
import { usePlace } from "@/lib/session";
import { Button } from "@/ui/button";
import { Dialog, DialogClose } from "@/ui/dialog";
import { ErrorNote } from "@/ui/error-note";
import { Field } from "@/ui/field";
import { Textarea } from "@/ui/textarea";
import { toast } from "@/ui/toast";
import { useReloadFailures } from "./queries";
import { useReopen } from "./use-reopen";

const usual = ["A test", "Corrected and sent again", "Not needed any more", "Duplicate"];

interface DismissDialogProps {
  failures: Failure[];
  close: () => void;
  done?: () => void;
}

/** Closes failures by hand, with a reason for those who come later. */
export function DismissDialog({ failures, close, done }: DismissDialogProps) {
  const { workspace } = usePlace();
  const reload = useReloadFailures();
  const [open, setOpen] = useState(true);
  const [reason, setReason] = useState("");
  const [missing, setMissing] = useState(false);
  const what =
    failures.length === 1 ? (failures[0]?.record_key ?? "this record") : `${failures.length} imports`;
  const reopen = useReopen();
  const { mutate, error, isPending } = useMutation({
    mutationFn: () =>
      eachOf(failures, (one) =>
        dismissFailure({
          path: { workspace: workspace.id, failure: one.id },
          body: { reason },
          throwOnError: true,
        }),
      ),
    onSuccess: () => {
      setOpen(false);
      done?.();
      toast.success(`Dismissed ${what}`, { undo: () => reopen(failures.map((one) => one.id)) });
    },
    onSettled: reload,
  });
  return (
    <Dialog
      title={`Dismiss ${what}`}
      description={`${plural(failures.length, "It leaves", "They leave")} the open list; what came is kept, and can be reopened.`}
      open={open}
      onOpenChange={(next) => !isPending && setOpen(next)}
      onClosed={close}
    >
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          setMissing(reason.trim() === "");
          if (reason.trim() !== "") mutate();
        }}
      >
        <Field
          label="Why can it be ignored?"
          error={missing ? "Say why, for whoever finds it later." : undefined}
        >
          <Textarea
            rows={3}
            maxLength={500}
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
          />
        </Field>
        <div className="flex flex-wrap gap-1.5">
          {usual.map((one) => (
            <Button key={one} size="sm" onClick={() => setReason(one)}>
              {one}
            </Button>
          ))}
        </div>
        {error && <ErrorNote error={error} />}
        <div className="mt-1 flex justify-end gap-2">
          <DialogClose>
            <Button disabled={isPending}>Cancel</Button>
          </DialogClose>
          <Button type="submit" variant="primary" loading={isPending}>
            Dismiss
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
