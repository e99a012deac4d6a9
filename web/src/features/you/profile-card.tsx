import { useMutation } from "@tanstack/react-query";
import { changeProfileMutation } from "@/api/@tanstack/react-query.gen";
import { useEdit } from "@/lib/edit";
import { ApiError } from "@/lib/problem";
import { usePlace, useReloadSession } from "@/lib/session";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { ErrorNote } from "@/ui/error-note";
import { Field } from "@/ui/field";
import { Input } from "@/ui/input";
import { toast } from "@/ui/toast";
import { UnsavedNote } from "@/ui/unsaved-note";

export function ProfileCard() {
  const { person } = usePlace();
  const { mutateAsync } = useMutation(changeProfileMutation());
  const reload = useReloadSession();
  const edit = useEdit<string, string>("profile", {
    seen: person.name,
    toDraft: (name) => name,
    follow: true,
    save: async (typed) => {
      const name = typed.trim();
      if (!name) throw wrongName("Type your name.");
      if (name.length > 200) throw wrongName("A name has at most 200 characters.");
      await mutateAsync({ body: { name } });
      await reload();
      toast.success("Name saved");
      return name;
    },
  });
  const { session, draft, failure, saving, restored } = edit;
  return (
    <Card title="Profile">
      <form
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          void session.save();
        }}
      >
        <Field
          label="Name"
          hint="Other members see it beside what you did."
          error={failure?.fieldError("name")}
        >
          <Input
            name="name"
            autoComplete="name"
            value={draft}
            onChange={(event) => session.type(event.currentTarget.value)}
          />
        </Field>
        <Field label="Email" hint="You sign in with it. It cannot be changed." disabled>
          <Input value={person.email} readOnly />
        </Field>
        {restored && <UnsavedNote onDiscard={() => session.type(edit.start)} />}
        {failure && !failure.fieldError("name") && <ErrorNote error={failure} />}
        <Button type="submit" variant="primary" className="self-start" loading={saving}>
          Save name
        </Button>
      </form>
    </Card>
  );
}

function wrongName(detail: string): ApiError {
  return new ApiError({ detail, errors: [{ pointer: "#/name", code: "invalid", detail }] }, 422);
}
