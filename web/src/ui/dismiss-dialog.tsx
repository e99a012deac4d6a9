import { useState } from "react";
import { useEdit } from "@/lib/edit";
import { ApiError } from "@/lib/problem";
import { Button } from "./button";
import { Dialog, DialogClose } from "./dialog";
import { ErrorNote } from "./error-note";
import { Field } from "./field";
import { Textarea } from "./textarea";

function missing(): ApiError {
  const detail = "Give a reason, for people who look at it later.";
  return new ApiError({ detail, errors: [{ pointer: "#/reason", code: "required", detail }] }, 422);
}

interface DismissDialogProps {
  title: string;
  description: string;
  /** Asks for the reason. */
  question: string;
  /** Reasons that are often given. */
  usual: readonly string[];
  dismiss: (reason: string) => Promise<unknown>;
  onClosed: () => void;
  onDone: () => void;
}

/** Dismisses something with a reason. */
export function DismissDialog(props: DismissDialogProps) {
  const [open, setOpen] = useState(true);
  const edit = useEdit<string, null>(undefined, {
    seen: null,
    toDraft: () => "",
    save: async (reason) => {
      if (reason.trim() === "") throw missing();
      await props.dismiss(reason);
      return undefined;
    },
    onSaved: () => {
      setOpen(false);
      props.onDone();
    },
  });
  const { session, draft: reason, failure, saving } = edit;
  return (
    <Dialog
      title={props.title}
      description={props.description}
      open={open}
      onOpenChange={setOpen}
      onClosed={props.onClosed}
      edit={edit}
    >
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          void session.save();
        }}
      >
        <Field label={props.question} error={failure?.fieldError("reason")}>
          <Textarea
            rows={3}
            maxLength={500}
            value={reason}
            onChange={(event) => session.type(event.currentTarget.value)}
          />
        </Field>
        <div className="flex flex-wrap gap-1.5">
          {props.usual.map((one) => (
            <Button key={one} size="sm" onClick={() => session.type(one)}>
              {one}
            </Button>
          ))}
        </div>
        {failure && !failure.fieldError("reason") && <ErrorNote error={failure} />}
        <div className="mt-1 flex justify-end gap-2">
          <DialogClose>
            <Button disabled={saving}>Cancel</Button>
          </DialogClose>
          <Button type="submit" variant="primary" loading={saving}>
            Dismiss
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
