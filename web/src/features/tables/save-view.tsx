import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Controller } from "react-hook-form";
import * as z from "zod/mini";
import { createViewMutation, listViewsQueryKey } from "@/api/@tanstack/react-query.gen";
import type { Table } from "@/api/types.gen";
import { useEditForm } from "@/lib/edit-form";
import { usePlace } from "@/lib/session";
import { Button } from "@/ui/button";
import { Checkbox } from "@/ui/checkbox";
import { Dialog, DialogClose } from "@/ui/dialog";
import { ErrorNote } from "@/ui/error-note";
import { Field } from "@/ui/field";
import { Input } from "@/ui/input";
import { toast } from "@/ui/toast";
import { type TableState, toDefinition } from "./state";

const schema = z.object({
  name: z
    .string()
    .check(z.trim(), z.minLength(1, "Give the view a name."), z.maxLength(100, "At most 100 characters.")),
  shared: z.boolean(),
});

interface SaveViewProps {
  table: Table;
  state: TableState;
  onSaved: (view: string) => void;
  onClose: () => void;
}

export function SaveView({ table, state, onSaved, onClose }: SaveViewProps) {
  const { workspace, can } = usePlace();
  const client = useQueryClient();
  const path = { workspace: workspace.id, table: table.slug };
  const { mutateAsync, isPending } = useMutation(createViewMutation());
  const form = useEditForm({
    thing: `new-view/${table.slug}`,
    schema,
    seen: { name: "", shared: false },
    toDraft: (seen) => seen,
    send: async (values) => {
      const view = await mutateAsync({ path, body: { ...values, definition: toDefinition(state) } });
      await client.invalidateQueries({ queryKey: listViewsQueryKey({ path }) });
      onSaved(view.id);
      toast.success(`“${view.name}” is saved`);
      return undefined;
    },
    onSaved: onClose,
  });
  return (
    <Dialog
      title="Save a view"
      description={`The filters, the order and the columns of ${table.title} as they are now.`}
      open
      onOpenChange={(open) => !open && onClose()}
      edit={form.edit}
      footer={
        <>
          <DialogClose>
            <Button>Cancel</Button>
          </DialogClose>
          <Button variant="primary" type="submit" form="save-view" loading={isPending}>
            Save view
          </Button>
        </>
      }
    >
      <form id="save-view" onSubmit={form.submit} className="flex flex-col gap-4" noValidate>
        {form.failure && <ErrorNote error={form.failure} />}
        <Field label="Name" error={form.formState.errors.name?.message}>
          <Input {...form.register("name")} autoComplete="off" />
        </Field>
        <Controller
          control={form.control}
          name="shared"
          render={({ field }) => (
            <Checkbox
              label="Share with everybody in the workspace"
              hint={
                can("share_views")
                  ? "They find it under Views, and open it by its link."
                  : "Buyers and Company-Admins share views."
              }
              disabled={!can("share_views")}
              checked={field.value}
              onCheckedChange={field.onChange}
            />
          )}
        />
      </form>
    </Dialog>
  );
}
