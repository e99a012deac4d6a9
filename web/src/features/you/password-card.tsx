import { useMutation, useQueryClient } from "@tanstack/react-query";
import * as z from "zod/mini";
import { changePasswordMutation, listSessionsQueryKey } from "@/api/@tanstack/react-query.gen";
import { useEditForm } from "@/lib/edit-form";
import { newPassword, passwordHint } from "@/lib/password";
import { usePlace } from "@/lib/session";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { ErrorNote } from "@/ui/error-note";
import { Field } from "@/ui/field";
import { PasswordInput } from "@/ui/password-input";
import { toast } from "@/ui/toast";

const schema = z.object({
  current_password: z.string().check(z.minLength(1, "Type your current password.")),
  new_password: newPassword,
});

const empty = { current_password: "", new_password: "" };

export function PasswordCard() {
  const { person } = usePlace();
  const { mutateAsync } = useMutation(changePasswordMutation());
  const queryClient = useQueryClient();
  // Without a name: drafts of passwords are never stored.
  const { register, submit, failure, formState, edit } = useEditForm({
    schema,
    seen: empty,
    toDraft: (seen) => seen,
    // The service reports errors of a new password as "password" everywhere.
    names: { password: "new_password" },
    send: async (body) => {
      await mutateAsync({ body });
      toast.success("Password changed", { description: "Your other sessions have ended." });
      await queryClient.invalidateQueries({ queryKey: listSessionsQueryKey() });
      return empty;
    },
  });
  return (
    <Card title="Password">
      <form noValidate className="flex flex-col gap-4" onSubmit={submit}>
        {/* Password managers need to know whose password this is. */}
        <input type="hidden" name="username" autoComplete="username" value={person.email} readOnly />
        <Field label="Current password" error={formState.errors.current_password?.message}>
          <PasswordInput {...register("current_password")} autoComplete="current-password" />
        </Field>
        <Field
          label="New password"
          hint={`${passwordHint} Your other sessions end.`}
          error={formState.errors.new_password?.message}
        >
          <PasswordInput {...register("new_password")} autoComplete="new-password" />
        </Field>
        {failure && <ErrorNote error={failure} />}
        <Button type="submit" variant="primary" className="self-start" loading={edit.saving}>
          Change password
        </Button>
      </form>
    </Card>
  );
}
