import { useMutation } from "@tanstack/react-query";
import { useId, useState } from "react";
import { createWorkspaceMutation } from "@/api/@tanstack/react-query.gen";
import { useEditForm } from "@/lib/edit-form";
import { usePlace } from "@/lib/session";
import { Button } from "@/ui/button";
import { Dialog, DialogClose } from "@/ui/dialog";
import { ErrorNote } from "@/ui/error-note";
import { toast } from "@/ui/toast";
import { UnsavedNote } from "@/ui/unsaved-note";
import { newWorkspace, useReloadWorkspaces } from "./use-workspaces";
import { noSender, schema, WorkspaceFields } from "./workspace-form";

export function CreateDialog({ onClosed }: { onClosed: () => void }) {
  const [open, setOpen] = useState(true);
  const formId = useId();
  const { company, workspace } = usePlace();
  const { mutateAsync } = useMutation(createWorkspaceMutation());
  const reload = useReloadWorkspaces();
  const { register, control, submit, failure, formState, edit } = useEditForm({
    thing: newWorkspace,
    schema,
    // A new workspace usually has the same settings as the current one.
    seen: {
      name: "",
      time_zone: workspace.time_zone,
      base_currency: workspace.base_currency,
      locale: workspace.locale,
      week_start: workspace.week_start,
      ...noSender,
    },
    toDraft: (seen) => seen,
    send: async (body) => {
      await mutateAsync({ path: { tenant: company.id }, body });
      await reload();
      toast.success(`Workspace “${body.name}” created`);
      return undefined;
    },
    onSaved: () => setOpen(false),
  });
  return (
    <Dialog
      title="New workspace"
      description="It has records, keys and settings of its own. Every member has access."
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
            Create workspace
          </Button>
        </>
      }
    >
      <form id={formId} noValidate className="flex flex-col gap-4" onSubmit={submit}>
        <WorkspaceFields register={register} control={control} errors={formState.errors} />
        {edit.restored && <UnsavedNote onDiscard={() => edit.session.type(edit.start)} />}
        {failure && <ErrorNote error={failure} />}
      </form>
    </Dialog>
  );
}
