import { useNavigate } from "@tanstack/react-router";
import { useId, useState } from "react";
import * as z from "zod/mini";
import { createConnection, testConnection } from "@/api/sdk.gen";
import type { Connection } from "@/api/types.gen";
import { useEditForm } from "@/lib/edit-form";
import { usePlace } from "@/lib/session";
import { Button } from "@/ui/button";
import { Dialog, DialogClose } from "@/ui/dialog";
import { ErrorNote } from "@/ui/error-note";
import { Field } from "@/ui/field";
import { Input } from "@/ui/input";
import { useKeep } from "./queries";

const schema = z.object({
  name: z
    .string()
    .check(z.trim(), z.minLength(1, "Give it a name."), z.maxLength(100, "At most 100 characters.")),
  address: z.string().check(z.trim(), z.minLength(1, "Enter the address of its API.")),
  token: z.string().check(z.trim(), z.minLength(1, "Enter the token that you made there.")),
});

type Draft = z.infer<typeof schema>;

/** Connects Katana, and tests it at once. */
export function ConnectDialog({ onClosed }: { onClosed: () => void }) {
  const [open, setOpen] = useState(true);
  const formId = useId();
  const { workspace } = usePlace();
  const keep = useKeep();
  const go = useNavigate();
  const { register, submit, formState, failure, edit } = useEditForm<Draft, Draft>({
    schema, // no draft is stored: it has a secret
    seen: { name: "Katana", address: "https://api.katanamrp.com/v1", token: "" },
    toDraft: (seen) => seen,
    send: async (body) => {
      const path = { workspace: workspace.id };
      const made = await createConnection({
        path,
        body: { system: "katana", ...body, may_export: true, may_load: true },
        throwOnError: true,
      });
      keep(await tested(workspace.id, made.data));
      setOpen(false);
      void go({
        to: "/w/$workspace/connections/$connection",
        params: { ...path, connection: made.data.id },
      });
      return undefined;
    },
  });
  const { errors } = formState;
  return (
    <Dialog
      title="Connect Katana"
      description="Nothing is written on either side before you start it."
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
            Connect and test
          </Button>
        </>
      }
    >
      <form id={formId} noValidate className="flex flex-col gap-4" onSubmit={submit}>
        <Field label="Name" error={errors.name?.message}>
          <Input {...register("name")} autoComplete="off" />
        </Field>
        <Field label="Address" hint="Of its API." error={errors.address?.message}>
          <Input {...register("address")} inputMode="url" autoComplete="off" spellCheck={false} />
        </Field>
        <Field
          label="Token"
          hint="In Katana: Settings → API. It is stored encrypted and never shown again."
          error={errors.token?.message}
        >
          <Input {...register("token")} type="password" autoComplete="off" mono />
        </Field>
        {failure && <ErrorNote error={failure} />}
      </form>
    </Dialog>
  );
}

/** The connection after its test. If the test cannot be made now, its page offers it again. */
async function tested(workspace: string, made: Connection): Promise<Connection> {
  try {
    return (await testConnection({ path: { workspace, connection: made.id }, throwOnError: true })).data;
  } catch {
    return made;
  }
}
