import { useMutation } from "@tanstack/react-query";
import { useId, useState } from "react";
import { Controller } from "react-hook-form";
import * as z from "zod/mini";
import { inviteMutation } from "@/api/@tanstack/react-query.gen";
import { useEditForm } from "@/lib/edit-form";
import { usePlace } from "@/lib/session";
import { Button } from "@/ui/button";
import { Dialog, DialogClose } from "@/ui/dialog";
import { ErrorNote } from "@/ui/error-note";
import { Field } from "@/ui/field";
import { Input } from "@/ui/input";
import { Secret } from "@/ui/secret";
import { Select } from "@/ui/select";
import { Time } from "@/ui/time";
import { toast } from "@/ui/toast";
import { useReloadLists } from "./queries";
import { roleHint, roleOptions } from "./roles";

const schema = z.object({
  email: z.string().check(z.trim(), z.minLength(1, "Type the email address of the new member.")),
  role: z.enum(["company_admin", "approver", "buyer", "viewer"]),
});

export type Draft = z.infer<typeof schema>;

interface InviteDialogProps {
  draft: Draft;
  /** An invitation to send again; its old link stops working. */
  again?: boolean;
  onClosed: () => void;
}

export function InviteDialog({ draft, again, onClosed }: InviteDialogProps) {
  const [open, setOpen] = useState(true);
  const formId = useId();
  const { company } = usePlace();
  const reload = useReloadLists();
  const { mutateAsync, data: made, isPending } = useMutation(inviteMutation());
  const { control, register, submit, failure, formState, watch, edit } = useEditForm({
    thing: again ? undefined : "new-invitation",
    schema,
    seen: draft,
    toDraft: (seen) => seen,
    send: async (body) => {
      const { invitation, link } = await mutateAsync({ path: { tenant: company.id }, body });
      void reload();
      if (!link) toast.success(`Invitation mailed to ${invitation.email}`);
      setOpen(link !== undefined);
      return undefined;
    },
  });
  const { errors } = formState;
  return (
    <Dialog
      title={again ? "Invite again" : "Invite a member"}
      description={again ? "The previous link stops working." : `The person will join ${company.name}.`}
      open={open}
      // An unsaved link must not be lost by an accidental click.
      onOpenChange={(next) => !made?.link && !isPending && setOpen(next)}
      onClosed={onClosed}
      edit={edit}
      footer={
        !made?.link && (
          <>
            <DialogClose>
              <Button>Cancel</Button>
            </DialogClose>
            <Button type="submit" form={formId} variant="primary" loading={edit.saving}>
              {again ? "Make new link" : "Invite"}
            </Button>
          </>
        )
      }
    >
      {made?.link ? (
        <div className="flex flex-col gap-3">
          <Secret
            label="The link"
            value={made.link}
            advice={`It was not mailed. Send it to ${made.invitation.email} yourself.`}
            saved="I sent it"
            onSaved={() => setOpen(false)}
          />
          <p className="text-muted">
            It works once and ends <Time inline value={made.invitation.expires_at} />. You can make a new one
            until it is accepted.
          </p>
        </div>
      ) : (
        <form id={formId} noValidate className="flex flex-col gap-4" onSubmit={submit}>
          <Field label="Email" error={errors.email?.message}>
            <Input
              {...register("email")}
              type="email"
              inputMode="email"
              autoComplete="off"
              autoCapitalize="none"
            />
          </Field>
          <Field label="Role" hint={roleHint(watch("role"))} error={errors.role?.message}>
            <Controller
              name="role"
              control={control}
              render={({ field: { onChange, ...field } }) => (
                <Select {...field} options={roleOptions} onValueChange={onChange} />
              )}
            />
          </Field>
          {failure && <ErrorNote error={failure} />}
        </form>
      )}
    </Dialog>
  );
}
