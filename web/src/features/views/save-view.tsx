import { Controller } from "react-hook-form";
import * as z from "zod/mini";
import type { View } from "@/api/types.gen";
import { useEditForm } from "@/lib/edit-form";
import { usePlace } from "@/lib/session";
import { Button } from "@/ui/button";
import { Checkbox } from "@/ui/checkbox";
import { Dialog, DialogClose } from "@/ui/dialog";
import { ErrorNote } from "@/ui/error-note";
import { Field } from "@/ui/field";
import { FormConflict } from "@/ui/form-conflict";
import { Input } from "@/ui/input";
import type { ViewCalls } from "./calls";
import type { Target } from "./target";

const name = z
  .string()
  .check(z.trim(), z.minLength(1, "Give the view a name."), z.maxLength(100, "At most 100 characters."));
const schema = z.object({ name, shared: z.boolean() });

interface SaveViewProps {
  target: Target;
  calls: ViewCalls;
  onSaved: (view: View) => Promise<void>;
  onClose: () => void;
}

/** Saves the current state as a new view. */
export function SaveView({ target, calls, onSaved, onClose }: SaveViewProps) {
  const { can } = usePlace();
  const form = useEditForm({
    thing: `new-view/${Object.values(target.of)}`,
    schema,
    seen: { name: "", shared: false },
    toDraft: (seen) => seen,
    send: async (values) => {
      await onSaved(await calls.create({ ...values, definition: target.definition }));
      return undefined;
    },
    onSaved: onClose,
  });
  return (
    <Dialog
      title="Save a view"
      description={target.about}
      open
      onOpenChange={(open) => !open && onClose()}
      edit={form.edit}
      footer={<Footer label="Save view" saving={form.edit.saving} />}
    >
      <form id={formId} onSubmit={form.submit} className="flex flex-col gap-4" noValidate>
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

interface RenameViewProps extends Omit<SaveViewProps, "target"> {
  view: View;
}

export function RenameView({ view, calls, onSaved, onClose }: RenameViewProps) {
  const form = useEditForm({
    thing: `view/${view.id}/name`,
    schema: z.object({ name }),
    seen: view,
    toDraft: ({ name }) => ({ name }),
    send: async (values, seen) => {
      if (values.name !== seen.name) await onSaved(await calls.change(seen, values));
      return undefined;
    },
    look: async (seen, refusal) => {
      const now = (await calls.list()).items.find(({ id }) => id === seen.id);
      if (!now) throw refusal;
      return { seen: now };
    },
    onSaved: onClose,
  });
  return (
    <Dialog
      title="Rename the view"
      open
      onOpenChange={(open) => !open && onClose()}
      edit={form.edit}
      footer={<Footer label="Rename" saving={form.edit.saving} />}
    >
      <form id={formId} onSubmit={form.submit} className="flex flex-col gap-4" noValidate>
        <Field label="Name" error={form.formState.errors.name?.message}>
          <Input {...form.register("name")} autoComplete="off" />
        </Field>
        <FormConflict edit={form.edit} labels={{ name: "Name" }} />
        {form.failure && <ErrorNote error={form.failure} />}
      </form>
    </Dialog>
  );
}

const formId = "name-view";

function Footer({ label, saving }: { label: string; saving: boolean }) {
  return (
    <>
      <DialogClose>
        <Button>Cancel</Button>
      </DialogClose>
      <Button variant="primary" type="submit" form={formId} loading={saving}>
        {label}
      </Button>
    </>
  );
}
