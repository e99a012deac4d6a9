import { useId, useState } from "react";
import * as z from "zod/mini";
import { pauseConnection } from "@/api/sdk.gen";
import type { Connection } from "@/api/types.gen";
import { useEditForm } from "@/lib/edit-form";
import { usePlace } from "@/lib/session";
import { Button } from "@/ui/button";
import { Dialog, DialogClose } from "@/ui/dialog";
import { ErrorNote } from "@/ui/error-note";
import { Field } from "@/ui/field";
import { Textarea } from "@/ui/textarea";
import { useKeep } from "./queries";

const schema = z.object({
  reason: z.string().check(z.trim(), z.minLength(1, "Say why."), z.maxLength(500, "At most 500 characters.")),
});

type Draft = z.infer<typeof schema>;

interface PauseDialogProps {
  connection: Connection;
  onClosed: () => void;
}

/** Stops a connection, with a reason that everybody sees who manages it. */
export function PauseDialog({ connection, onClosed }: PauseDialogProps) {
  const [open, setOpen] = useState(true);
  const formId = useId();
  const { workspace } = usePlace();
  const keep = useKeep();
  const { register, submit, formState, failure, edit } = useEditForm<Draft, Draft>({
    schema,
    seen: { reason: "" },
    toDraft: (seen) => seen,
    send: async (body) => {
      const path = { workspace: workspace.id, connection: connection.id };
      keep((await pauseConnection({ path, body, throwOnError: true })).data);
      setOpen(false);
      return undefined;
    },
  });
  return (
    <Dialog
      title={`Pause “${connection.name}”?`}
      description="Nothing is written on either side until somebody resumes it."
      open={open}
      onOpenChange={setOpen}
      onClosed={onClosed}
      edit={edit}
      footer={
        <>
          <DialogClose>
            <Button>Cancel</Button>
          </DialogClose>
          <Button type="submit" form={formId} variant="primary" loading={edit.saving}>
            Pause
          </Button>
        </>
      }
    >
      <form id={formId} noValidate className="flex flex-col gap-4" onSubmit={submit}>
        <Field label="Reason" error={formState.errors.reason?.message}>
          <Textarea {...register("reason")} rows={2} placeholder="Stock-taking until Monday" />
        </Field>
        {failure && <ErrorNote error={failure} />}
      </form>
    </Dialog>
  );
}
