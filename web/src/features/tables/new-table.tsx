import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useId, useState } from "react";
import * as z from "zod/mini";
import {
  changeTableDefinitionMutation,
  createTableDefinitionMutation,
} from "@/api/@tanstack/react-query.gen";
import type { TableDefinition } from "@/api/types.gen";
import { useEditForm } from "@/lib/edit-form";
import { usePlace } from "@/lib/session";
import { Button } from "@/ui/button";
import { Dialog, DialogClose } from "@/ui/dialog";
import { ErrorNote } from "@/ui/error-note";
import { Field } from "@/ui/field";
import { Input } from "@/ui/input";
import { Textarea } from "@/ui/textarea";
import { toast } from "@/ui/toast";
import { UnsavedNote } from "@/ui/unsaved-note";
import { columnName } from "./column-form";
import { useReloadDefinitions } from "./definitions";

const schema = z.object({
  name: z
    .string()
    .check(z.trim(), z.minLength(1, "Give the table a name."), z.maxLength(100, "At most 100 characters.")),
  description: z.string().check(z.trim(), z.maxLength(2000, "At most 2,000 characters.")),
});

type Draft = z.infer<typeof schema>;

interface NewTableProps {
  /** The table to rename; absent: a new one. */
  table?: TableDefinition | undefined;
  onClosed: () => void;
}

/** Makes a table, or changes its name and description. */
export function NewTable({ table, onClosed }: NewTableProps) {
  const { company, workspace } = usePlace();
  const [open, setOpen] = useState(true);
  const formId = useId();
  const create = useMutation(createTableDefinitionMutation());
  const change = useMutation(changeTableDefinitionMutation());
  const reload = useReloadDefinitions();
  const go = useNavigate();
  const path = { tenant: company.id };
  const { register, submit, watch, failure, formState, edit } = useEditForm<Draft, Draft>({
    thing: `table/${table?.slug ?? ""}`,
    schema,
    seen: { name: table?.name ?? "", description: table?.description ?? "" },
    toDraft: (seen) => seen,
    names: { slug: "name" },
    send: async (values) => {
      if (table) {
        const headers = { "If-Match": `"${table.version}"` };
        await change.mutateAsync({ path: { ...path, definition: table.slug }, headers, body: values });
        await reload();
        toast.success(`Table “${values.name}” saved`);
        return undefined;
      }
      const made = await create.mutateAsync({ path, body: { ...values, columns: [] } });
      await reload();
      toast.success(`Table “${made.name}” made`);
      void go({
        to: "/w/$workspace/tables/$slug/columns",
        params: { workspace: workspace.id, slug: made.slug },
      });
      return undefined;
    },
    onSaved: () => setOpen(false),
  });
  const slug = table?.slug ?? columnName(watch("name")).slice(0, 48);
  return (
    <Dialog
      title={table ? `Change ${table.name}` : "New table"}
      description={
        table ? undefined : "It takes records at once, in every workspace. You add its columns next."
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
            {table ? "Save" : "Make table"}
          </Button>
        </>
      }
    >
      <form id={formId} noValidate className="flex flex-col gap-4" onSubmit={submit}>
        <Field
          label="Name"
          error={formState.errors.name?.message}
          hint={
            slug ? `Systems send its records to /api/ingest/${slug}. That address never changes.` : undefined
          }
        >
          <Input {...register("name")} placeholder="Decisions" autoComplete="off" />
        </Field>
        <Field label="Description" optional error={formState.errors.description?.message}>
          <Textarea {...register("description")} rows={3} />
        </Field>
        {edit.restored && <UnsavedNote onDiscard={() => edit.session.type(edit.start)} />}
        {failure && <ErrorNote error={failure} />}
      </form>
    </Dialog>
  );
}
