import { useMutation } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import * as z from "zod/mini";
import { signInMutation } from "@/api/@tanstack/react-query.gen";
import { expectSession } from "@/lib/entered";
import { useServerForm } from "@/lib/form";
import { Button } from "@/ui/button";
import { ErrorNote } from "@/ui/error-note";
import { Field } from "@/ui/field";
import { Input } from "@/ui/input";
import { PasswordInput } from "@/ui/password-input";
import { EntryCard, linkClass } from "./entry-card";

const schema = z.object({
  email: z.string().check(z.trim(), z.minLength(1, "Type the email address you sign in with.")),
  password: z.string().check(z.minLength(1, "Type your password.")),
});

export function SignInPage() {
  const { next } = useSearch({ from: "/public/sign-in" });
  const { mutateAsync } = useMutation(signInMutation());
  const { register, submit, failure, formState } = useServerForm({
    schema,
    defaultValues: { email: "", password: "" },
    focus: "email",
    send: async (body) => {
      await mutateAsync({ body });
      await expectSession();
      location.replace(next ?? "/");
      // The button stays busy until the new page is shown.
      await new Promise(() => {});
    },
  });
  return (
    <EntryCard
      title="Sign in"
      footer={
        <>
          No account yet? Ask a Company-Admin of your company to invite you. The first account is created by
          the operator of this service.
        </>
      }
    >
      <form noValidate className="flex flex-col gap-4" onSubmit={submit}>
        <Field label="Email" error={formState.errors.email?.message}>
          <Input
            {...register("email")}
            type="email"
            inputMode="email"
            autoComplete="username"
            autoCapitalize="none"
          />
        </Field>
        <Field label="Password" error={formState.errors.password?.message}>
          <PasswordInput {...register("password")} autoComplete="current-password" />
        </Field>
        {failure && <ErrorNote error={failure} />}
        <Button type="submit" variant="primary" loading={formState.isSubmitting}>
          Sign in
        </Button>
        <Link to="/forgot-password" className={`${linkClass} self-center`}>
          Forgot your password?
        </Link>
      </form>
    </EntryCard>
  );
}
