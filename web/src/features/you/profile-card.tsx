import { useMutation } from "@tanstack/react-query";
import { z } from "zod";
import { changeProfileMutation } from "@/api/@tanstack/react-query.gen";
import { useServerForm } from "@/lib/form";
import { usePlace, useReloadSession } from "@/lib/session";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { ErrorNote } from "@/ui/error-note";
import { Field } from "@/ui/field";
import { Input } from "@/ui/input";
import { toast } from "@/ui/toast";

const schema = z.object({
  name: z.string().trim().min(1, "Type your name.").max(200, "A name has at most 200 characters."),
});

export function ProfileCard() {
  const { person } = usePlace();
  const { mutateAsync } = useMutation(changeProfileMutation());
  const reload = useReloadSession();
  const { register, submit, failure, formState } = useServerForm({
    schema,
    defaultValues: { name: person.name },
    send: async (body) => {
      await mutateAsync({ body });
      await reload();
      toast.success("Name saved");
    },
  });
  return (
    <Card title="Profile">
      <form noValidate className="flex flex-col gap-4" onSubmit={submit}>
        <Field
          label="Name"
          hint="Other members see it beside what you did."
          error={formState.errors.name?.message}
        >
          <Input {...register("name")} autoComplete="name" />
        </Field>
        <Field label="Email" hint="You sign in with it. It cannot be changed." disabled>
          <Input value={person.email} readOnly />
        </Field>
        {failure && <ErrorNote error={failure} />}
        <Button type="submit" variant="primary" className="self-start" loading={formState.isSubmitting}>
          Save name
        </Button>
      </form>
    </Card>
  );
}
