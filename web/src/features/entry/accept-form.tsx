import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import * as z from "zod/mini";
import { acceptInvitationMutation } from "@/api/@tanstack/react-query.gen";
import type { Invited } from "@/api/types.gen";
import { roleHint, roleNames } from "@/features/members/roles";
import { expectSession } from "@/lib/entered";
import { useServerForm } from "@/lib/form";
import { newPassword, passwordHint } from "@/lib/password";
import { ApiError, toApiError } from "@/lib/problem";
import { Button } from "@/ui/button";
import { ErrorNote } from "@/ui/error-note";
import { Field } from "@/ui/field";
import { Input } from "@/ui/input";
import { PasswordInput } from "@/ui/password-input";
import { EntryCard, linkClass } from "./entry-card";

const forNew = z.object({
  name: z.string().check(z.trim(), z.minLength(1, "Type your name."), z.maxLength(200)),
  password: newPassword,
});
const forKnown = z.object({
  name: z.string(),
  password: z.string().check(z.minLength(1, "Type your password.")),
});

export function AcceptForm({ token, invited }: { token: string; invited: Invited }) {
  const { company, email, role, has_account: known } = invited;
  const { mutateAsync } = useMutation(acceptInvitationMutation());
  const { register, submit, failure, formState } = useServerForm({
    schema: known ? forKnown : forNew,
    defaultValues: { name: "", password: "" },
    focus: known ? "password" : "name",
    send: async ({ name, password }) => {
      await mutateAsync({ body: known ? { token, password } : { token, name, password } }).catch(atPassword);
      await expectSession();
      location.replace("/");
      await new Promise(() => {});
    },
  });
  return (
    <EntryCard
      title={`Join ${company}`}
      description={
        <>
          Your role is <strong className="font-semibold text-ink">{roleNames[role]}</strong>. {roleHint(role)}
        </>
      }
      footer={
        known && (
          <Link to="/forgot-password" className={linkClass}>
            Forgot your password?
          </Link>
        )
      }
    >
      <form noValidate className="flex flex-col gap-4" onSubmit={submit}>
        <Field label="Email" hint={known && "You have an account with this address already."} disabled>
          <Input value={email} readOnly autoComplete="username" />
        </Field>
        {!known && (
          <Field label="Your name" error={formState.errors.name?.message}>
            <Input {...register("name")} autoComplete="name" />
          </Field>
        )}
        <Field
          label={known ? "Your password" : "Password"}
          hint={known ? undefined : passwordHint}
          error={formState.errors.password?.message}
        >
          <PasswordInput
            {...register("password")}
            autoComplete={known ? "current-password" : "new-password"}
          />
        </Field>
        {failure && <ErrorNote error={failure} />}
        <Button type="submit" variant="primary" loading={formState.isSubmitting}>
          {known ? "Sign in and join" : "Create account and join"}
        </Button>
      </form>
    </EntryCard>
  );
}

// The service says "email or password is wrong", but here the email cannot be wrong.
function atPassword(cause: unknown): never {
  const error = toApiError(cause);
  if (error.code !== "sign_in") throw error;
  const errors = [
    { pointer: "#/password", code: error.code, detail: "that is not the password of this account" },
  ];
  throw new ApiError({ code: error.code, errors }, error.status, error.requestId);
}
