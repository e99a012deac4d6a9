import { useMutation } from "@tanstack/react-query";
import { useId, useState } from "react";
import { changeWorkspaceMutation } from "@/api/@tanstack/react-query.gen";
import { getWorkspace } from "@/api/sdk.gen";
import type { Workspace } from "@/api/types.gen";
import { useWhoChanged } from "@/features/audit/who-changed";
import { useEditForm } from "@/lib/edit-form";
import { Button } from "@/ui/button";
import { Dialog, DialogClose } from "@/ui/dialog";
import { ErrorNote } from "@/ui/error-note";
import { FormConflict } from "@/ui/form-conflict";
import { toast } from "@/ui/toast";
import { UnsavedNote } from "@/ui/unsaved-note";
import { editedWorkspace, useReloadWorkspaces } from "./use-workspaces";
import { type Weekday, weekdayNames } from "./weekdays";
import { SenderFields, type Settings, schema, settingNames, WorkspaceFields } from "./workspace-form";

interface EditDialogProps {
  /** The workspace as the list showed it when the dialog was opened. */
  workspace: Workspace;
  onClosed: () => void;
}

export function EditDialog({ workspace, onClosed }: EditDialogProps) {
  const [open, setOpen] = useState(true);
  const formId = useId();
  const path = { workspace: workspace.id };
  const { mutateAsync } = useMutation(changeWorkspaceMutation());
  const reload = useReloadWorkspaces();
  const whoChanged = useWhoChanged();
  const { register, control, submit, failure, formState, edit } = useEditForm<Settings, Workspace>({
    thing: editedWorkspace(workspace.id),
    schema,
    seen: workspace,
    toDraft: settings,
    send: async (values, seen) => {
      // Sends only changed fields, so that somebody else's changes to other fields stay.
      const body = differing(values, settings(seen));
      const headers = { "If-Match": `"${seen.version}"` };
      const changed = Object.keys(body).length > 0 ? await mutateAsync({ path, headers, body }) : undefined;
      await reload();
      toast.success(`Workspace “${values.name}” saved`);
      return changed;
    },
    look: async () => {
      const [now, who] = await Promise.all([
        getWorkspace({ path, throwOnError: true }),
        whoChanged("workspace.changed", workspace.id),
      ]);
      return { seen: now.data, ...who };
    },
    onSaved: () => setOpen(false),
  });
  return (
    <Dialog
      title="Edit workspace"
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
        <WorkspaceFields register={register} control={control} errors={formState.errors} />
        <SenderFields register={register} errors={formState.errors} />
        {edit.restored && <UnsavedNote onDiscard={() => edit.session.type(edit.start)} />}
        <FormConflict edit={edit} labels={settingNames} show={shown} />
        {failure && <ErrorNote error={failure} />}
      </form>
    </Dialog>
  );
}

function settings(workspace: Settings): Settings {
  const names = Object.keys(settingNames) as (keyof Settings)[];
  return Object.fromEntries(names.map((name) => [name, workspace[name]])) as Settings;
}

function shown(value: string, name: keyof Settings): string {
  return name === "week_start" ? weekdayNames[value as Weekday] : value;
}

function differing(now: Settings, before: Settings): Partial<Settings> {
  const names = Object.keys(before) as (keyof Settings)[];
  return Object.fromEntries(names.filter((name) => now[name] !== before[name]).map((n) => [n, now[n]]));
}
