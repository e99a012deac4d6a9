import type { ReactNode } from "react";
import type { Edit } from "@/lib/edit";
import { useFocusRefused } from "@/lib/focus";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { ErrorNote } from "@/ui/error-note";
import { Field } from "@/ui/field";
import { FormConflict } from "@/ui/form-conflict";
import { MarkdownField } from "@/ui/markdown-field";
import { UnsavedNote } from "@/ui/unsaved-note";
import { control, type FormFields, TextField } from "./fields";
import type { Draft } from "./model";

interface DocumentFormProps<S> {
  edit: Edit<Draft, S>;
  fixed: boolean;
  labels: Record<string, string>;
  /** The text of the button. */
  save: string;
  /** The fields above the text. */
  children: (fields: FormFields) => ReactNode;
  /** The fields below the text. */
  after?: (fields: FormFields) => ReactNode;
  /** Shown before the button, while there is no conflict. */
  effect?: ReactNode;
}

/** The form of a strategy or an SOP: its fields, its text in Markdown, and why it was changed. */
export function DocumentForm<S>(props: DocumentFormProps<S>) {
  const { edit, fixed, labels, save, children, after, effect } = props;
  const { session, failure, dirty, saving, restored, theirs } = edit;
  const form = useFocusRefused(failure);
  const fields: FormFields = { edit: edit as FormFields["edit"], fixed };
  const body = control(fields, "body");
  return (
    <form
      ref={form}
      noValidate
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        void session.save();
      }}
    >
      <Card>
        <div className="flex flex-col gap-4">
          <div className="grid items-start gap-x-6 gap-y-4 md:grid-cols-2">{children(fields)}</div>
          <Field label="Text" error={failure?.fieldError("body")} disabled={fixed}>
            <MarkdownField
              rows={14}
              value={body.value}
              onChange={(event) => body.set(event.currentTarget.value)}
            />
          </Field>
        </div>
      </Card>
      {after?.(fields)}
      {!fixed && !theirs && effect}
      {!fixed && (
        <Card>
          <div className="flex flex-col gap-4">
            <TextField {...fields} name="note" label="Note" hint="Why, for the list of versions." optional />
            {restored && !theirs && <UnsavedNote onDiscard={() => session.type(edit.start)} />}
            {failure && failure.errors.length === 0 && <ErrorNote error={failure} />}
            <FormConflict edit={edit} labels={labels} />
            {!theirs && (
              <Button
                type="submit"
                variant="primary"
                className="self-start"
                loading={saving}
                disabled={!dirty}
              >
                {save}
              </Button>
            )}
          </div>
        </Card>
      )}
    </form>
  );
}
