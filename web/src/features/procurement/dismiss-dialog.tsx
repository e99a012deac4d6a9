import { dismissRecommendation } from "@/api/sdk.gen";
import type { Recommendation } from "@/api/types.gen";
import { eachOf } from "@/lib/each";
import { useEdit } from "@/lib/edit";
import { ApiError } from "@/lib/problem";
import { usePlace } from "@/lib/session";
import { dismiss, dismissed } from "@/messages/procurement";
import { Button } from "@/ui/button";
import { Dialog, DialogClose } from "@/ui/dialog";
import { ErrorNote } from "@/ui/error-note";
import { Field } from "@/ui/field";
import { Textarea } from "@/ui/textarea";
import { toast } from "@/ui/toast";
import { useRestore } from "./decisions";
import { useReloadQueue } from "./queries";

const usual = ["Replaced by another article", "The season is over", "Ordered elsewhere", "Not sold any more"];

function missing(): ApiError {
  const detail = "Give a reason, for people who look at it later.";
  return new ApiError({ detail, errors: [{ pointer: "#/reason", code: "required", detail }] }, 422);
}

interface DismissDialogProps {
  rows: readonly Recommendation[];
  onClosed: () => void;
  onDone: () => void;
}

/** Turns recommendations down, with a reason. */
export function DismissDialog({ rows, onClosed, onDone }: DismissDialogProps) {
  const { workspace } = usePlace();
  const reload = useReloadQueue();
  const restore = useRestore();
  const said = { count: rows.length, name: rows[0]?.name ?? "" };
  const edit = useEdit<string, null>(undefined, {
    seen: null,
    toDraft: () => "",
    save: async (reason) => {
      if (reason.trim() === "") throw missing();
      await eachOf(rows, ({ recommendation_key }) =>
        dismissRecommendation({
          path: { workspace: workspace.id },
          body: { recommendation_key, reason },
          throwOnError: true,
        }),
      ).finally(reload);
      return undefined;
    },
    onSaved: () => {
      onDone();
      toast.success(dismissed(said, workspace.locale), { undo: () => restore(rows) });
    },
  });
  const { session, draft: reason, failure, saving } = edit;
  return (
    <Dialog
      title={dismiss(said, workspace.locale)}
      description="It is not suggested again for the days that the playbook says, unless much more is needed."
      open
      onOpenChange={(open) => !open && onClosed()}
      edit={edit}
    >
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          void session.save();
        }}
      >
        <Field label="Why is it not needed?" error={failure?.fieldError("reason")}>
          <Textarea
            rows={3}
            maxLength={500}
            value={reason}
            onChange={(event) => session.type(event.currentTarget.value)}
          />
        </Field>
        <div className="flex flex-wrap gap-1.5">
          {usual.map((one) => (
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
