import { useState } from "react";
import { dismissFailure } from "@/api/sdk.gen";
import type { Failure } from "@/api/types.gen";
import { eachOf } from "@/lib/each";
import { useEdit } from "@/lib/edit";
import { ApiError } from "@/lib/problem";
import { usePlace } from "@/lib/session";
import { dismissal, imports } from "@/messages/failure";
import { Button } from "@/ui/button";
import { Dialog, DialogClose } from "@/ui/dialog";
import { ErrorNote } from "@/ui/error-note";
import { Field } from "@/ui/field";
import { Textarea } from "@/ui/textarea";
import { toast } from "@/ui/toast";
import { useReloadFailures } from "./queries";
import { useReopen } from "./use-reopen";

const usual = ["A test", "Corrected and sent again", "Not needed any more", "Duplicate"];

function missing(): ApiError {
  const detail = "Give a reason, for people who look at it later.";
  return new ApiError({ detail, errors: [{ pointer: "#/reason", code: "required", detail }] }, 422);
}

interface DismissDialogProps {
  failures: readonly Failure[];
  close: () => void;
  done?: () => void;
}

/** Dismisses failed imports with a reason. */
export function DismissDialog({ failures, close, done }: DismissDialogProps) {
  const { workspace } = usePlace();
  const reload = useReloadFailures();
  const [open, setOpen] = useState(true);
  const count = failures.length;
  const what = count > 1 ? imports({ count }, workspace.locale) : (failures[0]?.record_key ?? "this record");
  const reopen = useReopen();
  const edit = useEdit<string, null>(undefined, {
    seen: null,
    toDraft: () => "",
    save: async (reason) => {
      if (reason.trim() === "") throw missing();
      await eachOf(failures, (one) => {
        const path = { workspace: workspace.id, failure: one.id };
        return dismissFailure({ path, body: { reason }, throwOnError: true });
      }).finally(reload);
      return undefined;
    },
    onSaved: () => {
      setOpen(false);
      done?.();
      toast.success(`Dismissed ${what}`, { undo: () => reopen(failures.map((one) => one.id)) });
    },
  });
  const { session, draft: reason, failure, saving } = edit;
  return (
    <Dialog
      title={`Dismiss ${what}`}
      description={dismissal({ count }, workspace.locale)}
      open={open}
      onOpenChange={setOpen}
      onClosed={close}
      edit={edit}
    >
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          void session.save();
        }}
      >
        <Field label="Why can it be ignored?" error={failure?.fieldError("reason")}>
          <Textarea
            rows={3}
            maxLength={500}
            value={reason}
            onChange={(event) => session.type(event.currentTarget.value)}
          />
        </Field>
        <div className="flex flex-wrap gap-1.5">
          {usual.map((one) => (
            <Button key={one} size="sm" onClick={() => session.type(one)}>
              {one}
            </Button>
          ))}
        </div>
        {failure && !failure.fieldError("reason") && <ErrorNote error={failure} />}
        <div className="mt-1 flex justify-end gap-2">
          <DialogClose>
            <Button disabled={saving}>Cancel</Button>
          </DialogClose>
          <Button type="submit" variant="primary" loading={saving}>
            Dismiss
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
