import { useMutation } from "@tanstack/react-query";
import { useId, useState } from "react";
import { changeWorkspaceMutation } from "@/api/@tanstack/react-query.gen";
import type { Workspace } from "@/api/types.gen";
import { useServerForm } from "@/lib/form";
import { toApiError } from "@/lib/problem";
import { Button } from "@/ui/button";
import { Dialog, DialogClose } from "@/ui/dialog";
import { ErrorNote } from "@/ui/error-note";
import { toast } from "@/ui/toast";
import { useReloadWorkspaces } from "./use-workspaces";
import { type Settings, schema, WorkspaceFields } from "./workspace-form";

interface EditDialogProps {
  /** As the list has it now: it changes when somebody else's change comes in. */
  workspace: Workspace;
  onClosed: () => void;
}

export function EditDialog({ workspace, onClosed }: EditDialogProps) {
  const [open, setOpen] = useState(true);
  // The list behind may be read again meanwhile; what was opened is what was seen.
  const [opened] = useState(workspace);
  const before = settings(opened);
  const formId = useId();
  const { mutateAsync } = useMutation(changeWorkspaceMutation());
  const reload = useReloadWorkspaces();
  const { register, control, submit, failure, formState } = useServerForm({
    schema,
    defaultValues: before,
    send: async (values) => {
      // Only what was changed here: what somebody else changed in other fields stays.
      const body = differing(values, before);
      const seen = failure?.status === 412 ? workspace : opened;
      const headers = { "If-Match": `"${seen.version}"` };
      try {
        if (Object.keys(body).length > 0)
          await mutateAsync({ path: { workspace: workspace.id }, headers, body });
      } catch (cause) {
        if (toApiError(cause).status === 412) await reload();
        throw cause;
      }
      await reload();
      toast.success(`Workspace “${values.name}” saved`);
      setOpen(false);
    },
  });
  return (
    <Dialog
      title="Edit workspace"
      open={open}
      onOpenChange={setOpen}
      onClosed={onClosed}
      footer={
        <>
          <DialogClose>
            <Button>Cancel</Button>
          </DialogClose>
          <Button type="submit" form={formId} variant="primary" loading={formState.isSubmitting}>
            Save
          </Button>
        </>
      }
    >
      <form id={formId} noValidate className="flex flex-col gap-4" onSubmit={submit}>
        <WorkspaceFields
          register={register}
          control={control}
          errors={formState.errors}
          theirs={failure?.status === 412 ? differing(settings(workspace), before) : undefined}
        />
        {failure && <ErrorNote error={failure} />}
      </form>
    </Dialog>
  );
}

function settings({ name, time_zone, base_currency, locale }: Settings): Settings {
  return { name, time_zone, base_currency, locale };
}

function differing(now: Settings, before: Settings): Partial<Settings> {
  const names = Object.keys(before) as (keyof Settings)[];
  return Object.fromEntries(names.filter((name) => now[name] !== before[name]).map((n) => [n, now[n]]));
}
