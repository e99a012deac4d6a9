import { useMutation } from "@tanstack/react-query";
import { useId, useState } from "react";
import { Controller } from "react-hook-form";
import * as z from "zod/mini";
import { changeMemberMutation } from "@/api/@tanstack/react-query.gen";
import { getMember } from "@/api/sdk.gen";
import type { Member } from "@/api/types.gen";
import { useWhoChanged } from "@/features/audit/who-changed";
import { useEditForm } from "@/lib/edit-form";
import { Button } from "@/ui/button";
import { Dialog, DialogClose } from "@/ui/dialog";
import { ErrorNote } from "@/ui/error-note";
import { Field } from "@/ui/field";
import { FormConflict } from "@/ui/form-conflict";
import { Select } from "@/ui/select";
import { toast } from "@/ui/toast";
import { roleHint, roleNames, roleOptions } from "./roles";
import { useMemberChange } from "./use-member-change";

const schema = z.object({ role: z.enum(["company_admin", "approver", "buyer", "viewer"]) });

type Draft = z.infer<typeof schema>;

export function RoleDialog({ member, onClosed }: { member: Member; onClosed: () => void }) {
  const [open, setOpen] = useState(true);
  const formId = useId();
  const { mutateAsync } = useMutation(changeMemberMutation());
  const { self, run, path } = useMemberChange(member);
  const whoChanged = useWhoChanged();
  const { control, submit, failure, formState, watch, edit } = useEditForm<Draft, Member>({
    thing: `role/${member.id}`,
    schema,
    seen: member,
    toDraft: ({ role }) => ({ role }),
    send: async (body, seen) => {
      if (body.role === seen.role) return undefined;
      const headers = { "If-Match": `"${seen.version}"` };
      await run(mutateAsync({ path, headers, body }));
      toast.success(`${member.name} is ${roleNames[body.role]} now`);
      return undefined;
    },
    look: async () => {
      const [now, who] = await Promise.all([
        getMember({ path, throwOnError: true }),
        whoChanged("member.role_changed", member.id),
      ]);
      return { seen: now.data, ...who };
    },
    onSaved: () => setOpen(false),
  });
  return (
    <Dialog
      title="Change role"
      description={`${member.name} is ${roleNames[member.role]}.`}
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
            Change role
          </Button>
        </>
      }
    >
      <form id={formId} noValidate className="flex flex-col gap-4" onSubmit={submit}>
        <Field label="Role" hint={roleHint(watch("role"))} error={formState.errors.role?.message}>
          <Controller
            name="role"
            control={control}
            render={({ field: { onChange, ...field } }) => (
              <Select {...field} options={roleOptions} onValueChange={onChange} />
            )}
          />
        </Field>
        <p className="text-muted">
          {self
            ? "Your sessions end, this one too: you sign in again with the new role."
            : "Their sessions end, so that no screen shows what they may no longer do. They sign in again."}
        </p>
        <FormConflict edit={edit} labels={{ role: "Role" }} show={(role) => roleNames[role]} />
        {failure && <ErrorNote error={failure} />}
      </form>
    </Dialog>
  );
}
