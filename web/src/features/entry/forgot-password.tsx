import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import * as z from "zod/mini";
import { requestPasswordResetMutation } from "@/api/@tanstack/react-query.gen";
import { useServerForm } from "@/lib/form";
import { Button } from "@/ui/button";
import { ErrorNote } from "@/ui/error-note";
import { Field } from "@/ui/field";
import { Input } from "@/ui/input";
import { EntryCard, linkClass } from "./entry-card";

const schema = z.object({
  email: z.string().check(z.trim(), z.minLength(1, "Type the email address you sign in with.")),
});

const back = (
  <Link to="/sign-in" className={linkClass}>
    Back to sign in
  </Link>
);

export function ForgotPasswordPage() {
  const { mutateAsync, data } = useMutation(requestPasswordResetMutation());
  const { register, submit, failure, formState, getValues } = useServerForm({
    schema,
    defaultValues: { email: "" },
    focus: "email",
    send: (body) => mutateAsync({ body }),
  });
  if (data) return data.mail ? <Mailed email={getValues("email")} /> : <NoMail />;
  return (
    <EntryCard
      title="Forgot your password?"
      description="We will mail you a link to choose a new password."
      footer={back}
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
        {failure && <ErrorNote error={failure} />}
        <Button type="submit" variant="primary" loading={formState.isSubmitting}>
          Mail me a link
        </Button>
      </form>
    </EntryCard>
  );
}

function Mailed({ email }: { email: string }) {
  return (
    <EntryCard title="Check your mail" footer={back}>
      <p role="status" className="text-base">
        If an account has the address <strong className="wrap-anywhere font-semibold">{email}</strong>, a link
        is on its way. It works once, within an hour.
      </p>
    </EntryCard>
  );
}

function NoMail() {
  return (
    <EntryCard title="Ask a Company-Admin" footer={back}>
      <div role="status" className="flex flex-col gap-3 text-base">
        <p>This service sends no mail, so we cannot send you a link.</p>
        <p>
          A Company-Admin of your company can make one for you: on the page Members, in the menu beside your
          name.
        </p>
      </div>
    </EntryCard>
  );
}
