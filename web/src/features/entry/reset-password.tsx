import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import * as z from "zod/mini";
import { resetPasswordMutation } from "@/api/@tanstack/react-query.gen";
import { useServerForm } from "@/lib/form";
import { newPassword, passwordHint } from "@/lib/password";
import { Button, buttonClass } from "@/ui/button";
import { Checkbox } from "@/ui/checkbox";
import { ErrorNote } from "@/ui/error-note";
import { Field } from "@/ui/field";
import { PasswordInput } from "@/ui/password-input";
import { DeadLink } from "./dead-link";
import { EntryCard } from "./entry-card";
import { useLinkToken } from "./link-token";

const schema = z.object({ password: newPassword });

export function ResetPasswordPage() {
  // The operator may suggest to keep the tokens: #token&keep-tokens.
  const [token = "", proposal] = useLinkToken().split("&");
  // Keyed, so that another link starts with an empty form.
  return <ResetPassword key={token} token={token} keepTokens={proposal === "keep-tokens"} />;
}

function ResetPassword({ token, keepTokens }: { token: string; keepTokens: boolean }) {
  const [endTokens, setEndTokens] = useState(!keepTokens);
  const { mutateAsync, isSuccess } = useMutation(resetPasswordMutation());
  const { register, submit, failure, formState } = useServerForm({
    schema,
    defaultValues: { password: "" },
    focus: token ? "password" : undefined,
    send: ({ password }) => mutateAsync({ body: { token, password, end_tokens: endTokens } }),
  });
  if (isSuccess) return <Done />;
  if (!token || failure?.code === "dead_link") {
    return (
      <DeadLink missing={!token}>
        <Link to="/forgot-password" className={buttonClass("primary")}>
          Ask for a new link
        </Link>
      </DeadLink>
    );
  }
  return (
    <EntryCard title="Choose a new password" description="All your sessions end; you sign in again.">
      <form noValidate className="flex flex-col gap-4" onSubmit={submit}>
        <Field label="New password" hint={passwordHint} error={formState.errors.password?.message}>
          <PasswordInput {...register("password")} autoComplete="new-password" />
        </Field>
        <Checkbox
          label="End my tokens for assistants too"
          hint="Leave it on if somebody else may have used your account. Assistants then need new tokens."
          checked={endTokens}
          onCheckedChange={setEndTokens}
        />
        {failure && <ErrorNote error={failure} />}
        <Button type="submit" variant="primary" loading={formState.isSubmitting}>
          Change password
        </Button>
      </form>
    </EntryCard>
  );
}

function Done() {
  return (
    <EntryCard title="Your password is changed">
      <p role="status" className="text-base">
        All your sessions have ended. Sign in with the new password.
      </p>
      <Link to="/sign-in" className={buttonClass("primary")}>
        Sign in
      </Link>
    </EntryCard>
  );
}
