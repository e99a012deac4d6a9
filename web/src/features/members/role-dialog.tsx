import { useMutation } from "@tanstack/react-query";
import { useId, useState } from "react";
import { Controller } from "react-hook-form";
import { z } from "zod";
import { changeMemberMutation } from "@/api/@tanstack/react-query.gen";
import type { Member } from "@/api/types.gen";
import { useServerForm } from "@/lib/form";
import { Button } from "@/ui/button";
import { Dialog, DialogClose } from "@/ui/dialog";
import { ErrorNote } from "@/ui/error-note";
import { Field } from "@/ui/field";
import { Select } from "@/ui/select";
import { toast } from "@/ui/toast";
import { roleHint, roleNames, roleOptions } from "./roles";
import { useMemberChange } from "./use-member-change";

const schema = z.object({ role: z.enum(["company_admin", "approver", "buyer", "viewer"]) });

export function RoleDialog({ member, onClosed }: { member: Member; onClosed: () => void }) {
  const [open, setOpen] = useState(true);
  const formId = useId();
  const { mutateAsync } = useMutation(changeMemberMutation());
  const { self, run, path, headers } = useMemberChange(member);
  const { control, submit, failure, formState, watch } = useServerForm({
    schema,
    defaultValues: { role: member.role },
    send: async (body) => {
      if (body.role !== member.role) {
        await run(mutateAsync({ path, headers, body }));
        toast.success(`${member.name} is ${roleNames[body.role]} now`);
      }
      setOpen(false);
    },
  });
  return (
    <Dialog
      title="Change role"
      description={`${member.name} is ${roleNames[member.role]}.`}
      open={open}
      onOpenChange={setOpen}
      onClosed={onClosed}
      footer={
        <>
          <DialogClose>
            <Button>Cancel</Button>
          </DialogClose>
          <Button type="submit" form={formId} variant="primary" loading={formState.isSubmitting}>
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
        {failure && <ErrorNote error={failure} />}
      </form>
    </Dialog>
  );
}
