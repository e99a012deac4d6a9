import { useId, useState } from "react";
import * as z from "zod/mini";
import { changeConnection } from "@/api/sdk.gen";
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
  address: z.string().check(z.trim(), z.minLength(1, "Enter the address of its API.")),
  token: z.string().check(z.trim()),
});

type Draft = z.infer<typeof schema>;

interface AccessDialogProps {
  connection: Connection;
  onClosed: () => void;
}

/** Changes the address or the token; the connection must be tested again then. */
export function AccessDialog({ connection, onClosed }: AccessDialogProps) {
  const [open, setOpen] = useState(true);
  const formId = useId();
  const { workspace } = usePlace();
  const keep = useKeep();
  const { register, submit, formState, failure, edit } = useEditForm<Draft, Draft>({
    schema, // no draft is stored: it has a secret
    seen: { address: connection.address, token: "" },
    toDraft: (seen) => seen,
    send: async ({ address, token }) => {
      const changed = await changeConnection({
        path: { workspace: workspace.id, connection: connection.id },
        headers: { "If-Match": `"${connection.version}"` },
        body: { address, ...(token && { token }) },
        throwOnError: true,
      });
      keep(changed.data);
      toast.success("Saved. Test the connection now");
      setOpen(false);
      return undefined;
    },
  });
  const { errors } = formState;
  return (
    <Dialog
      title="Change address or token"
      description={
        connection.state === "active" ? "This pauses the connection until it was tested again." : undefined
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
        <Field label="Address" error={errors.address?.message}>
          <Input {...register("address")} inputMode="url" autoComplete="off" spellCheck={false} />
        </Field>
        <Field
          label="New token"
          optional
          hint="Empty keeps the stored one. It is needed if the address is that of another host."
          error={errors.token?.message}
        >
          <Input {...register("token")} type="password" autoComplete="off" mono />
        </Field>
        {failure && <ErrorNote error={failure} />}
      </form>
    </Dialog>
  );
}
