import { useId, useState } from "react";
import * as z from "zod/mini";
import { setConnectionHook } from "@/api/sdk.gen";
import type { Connection } from "@/api/types.gen";
import { useEditForm } from "@/lib/edit-form";
import { usePlace } from "@/lib/session";
import { Button } from "@/ui/button";
import { Dialog, DialogClose } from "@/ui/dialog";
import { ErrorNote } from "@/ui/error-note";
import { Field } from "@/ui/field";
import { Input } from "@/ui/input";
import { toast } from "@/ui/toast";
import { useKeep } from "./queries";

const schema = z.object({
  secret: z.string().check(z.trim(), z.minLength(16, "A secret has at least 16 characters.")),
});

type Draft = z.infer<typeof schema>;

interface HookDialogProps {
  connection: Connection;
  onClosed: () => void;
}

/** Sets the secret with which the other system signs its webhooks. */
export function HookDialog({ connection, onClosed }: HookDialogProps) {
  const [open, setOpen] = useState(true);
  const formId = useId();
  const { workspace } = usePlace();
  const keep = useKeep();
  const { register, submit, formState, failure, edit } = useEditForm<Draft, Draft>({
    schema, // no draft is stored: it is a secret
    seen: { secret: "" },
    toDraft: (seen) => seen,
    send: async (body) => {
      const path = { workspace: workspace.id, connection: connection.id };
      keep((await setConnectionHook({ path, body, throwOnError: true })).data);
      toast.success("The secret of the webhooks is set");
      setOpen(false);
      return undefined;
    },
  });
  return (
    <Dialog
      title="Secret of the webhooks"
      description={
        connection.hook_set_at
          ? "Webhooks that are signed with the stored one are refused from now on."
          : undefined
      }
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
            Save
          </Button>
        </>
      }
    >
      <form id={formId} noValidate className="flex flex-col gap-4" onSubmit={submit}>
        <Field
          label="Secret"
          hint="The other system shows it where its webhooks are set up. It is stored encrypted and never shown."
          error={formState.errors.secret?.message}
        >
          <Input {...register("secret")} type="password" autoComplete="off" mono />
        </Field>
        {failure && <ErrorNote error={failure} />}
      </form>
    </Dialog>
  );
}
