import { type ReactNode, useId, useRef, useState } from "react";
import { getLineTimeline, getPurchaseOrder } from "@/api/sdk.gen";
import type { Line } from "@/api/types.gen";
import { isUnclear } from "@/lib/decimal-text";
import { useEdit } from "@/lib/edit";
import type { Theirs } from "@/lib/edit-state";
import { useFocusRefused } from "@/lib/focus";
import { useLocale } from "@/lib/locale";
import type { ApiError } from "@/lib/problem";
import { usePlace } from "@/lib/session";
import { Button } from "@/ui/button";
import { Dialog, DialogClose } from "@/ui/dialog";
import { Time } from "@/ui/time";
import { toast } from "@/ui/toast";
import { UnsavedNote } from "@/ui/unsaved-note";
import { differences, fieldName } from "./line-words";
import { Refusal } from "./parts";
import { useActors, useReloadPurchasing } from "./queries";

export interface ActionForm<D> {
  draft: D;
  change: (next: Partial<D>) => void;
  /** The refusal of the last try, from which each field shows its own errors. */
  failure: ApiError | undefined;
}

interface ActionDialogProps<D> {
  action: string;
  title: string;
  description?: ReactNode;
  confirm: string | ((draft: D) => string);
  tone?: "primary" | "danger";
  size?: "sm" | "md" | "lg";
  /** Focuses the button that confirms, because there is nothing to fill in. */
  confirmFirst?: boolean;
  /** The current lines; they change when a poll brings somebody else's change. */
  lines: readonly Line[];
  /** The initial values of the dialog's fields. */
  fields: (seen: readonly Line[]) => D;
  /** Gets the lines that the dialog was opened with: a person decides on what they see. */
  children: (seen: readonly Line[], form: ActionForm<D>) => ReactNode;
  /** Runs the action and returns the text of the toast, with how to undo it if that is possible. */
  act: (seen: readonly Line[], draft: D) => Promise<string | { text: string; undo: () => Promise<void> }>;
  /** Shows a refusal with a way to answer it, instead of the plain message. */
  answer?: (failure: ApiError, form: ActionForm<D>) => ReactNode;
  onClosed: () => void;
  onDone?: (() => void) | undefined;
}

/** The common part of all actions on lines: the lines seen, refusals, and changes by others. */
export function ActionDialog<D extends object>(props: ActionDialogProps<D>) {
  const { title, description, confirm, tone = "primary", size = "sm", children, answer, onClosed } = props;
  const [open, setOpen] = useState(true);
  const primary = useRef<HTMLButtonElement>(null);
  const formId = useId();
  const edit = useActionEdit(props, () => setOpen(false));
  const { session, seen, draft, failure, saving, theirs, restored } = edit;
  const element = useFocusRefused(failure);
  const form = {
    draft,
    failure,
    change: (next: Partial<D>) => session.type({ ...session.state.draft, ...next }),
  };
  return (
    <Dialog
      title={title}
      description={description}
      size={size}
      {...(props.confirmFirst && { initialFocus: primary })}
      open={open}
      onOpenChange={(next) => !saving && setOpen(next)}
      onClosed={onClosed}
      edit={edit}
      footer={
        <>
          <DialogClose>
            <Button className="max-md:h-11 max-md:flex-1">Cancel</Button>
          </DialogClose>
          <Button
            ref={primary}
            type="submit"
            form={formId}
            variant={tone}
            loading={saving}
            disabled={Boolean(theirs)}
            className="max-md:h-11 max-md:flex-1"
          >
            {typeof confirm === "string" ? confirm : confirm(draft)}
          </Button>
        </>
      }
    >
      <form
        ref={element}
        id={formId}
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          void session.save();
        }}
      >
        {children(seen, form)}
        {restored && !theirs && <UnsavedNote onDiscard={() => session.type(edit.start)} />}
        {/* A person never decides on lines that they have not seen. */}
        {theirs && <Meanwhile seen={seen} theirs={theirs} goOn={session.rebase} />}
        {failure && !isUnclear(failure) && (answer?.(failure, form) || <Refusal error={failure} />)}
      </form>
    </Dialog>
  );
}

/** Names the draft of an action; after a reload the dialog is found by it. */
export const actionThing = (action: string, ids: readonly string[]) =>
  `action/${action}/${[...ids].sort().join(",")}`;

function useActionEdit<D>(props: ActionDialogProps<D>, onSaved: () => void) {
  const { action, lines, fields, act, onDone } = props;
  const { workspace } = usePlace();
  const reload = useReloadPurchasing();
  const ids = lines.map((line) => line.id);
  return useEdit<D, readonly Line[]>(actionThing(action, ids), {
    seen: lines,
    toDraft: fields,
    save: async (draft, seen) => {
      const done = await act(seen, draft);
      if (typeof done === "string") toast.success(done);
      else toast.success(done.text, { undo: () => void done.undo() });
      return undefined;
    },
    look: async (seen) => {
      void reload();
      return lookAtLines(workspace.id, seen);
    },
    onSaved: () => {
      onSaved();
      onDone?.();
      void reload();
    },
  });
}

/** The current lines, and who changed the first changed one. */
async function lookAtLines(workspace: string, seen: readonly Line[]): Promise<Theirs<readonly Line[]>> {
  const orders = [...new Set(seen.map((line) => line.order_no))];
  const read = orders.map((order) => getPurchaseOrder({ path: { workspace, order }, throwOnError: true }));
  const found = (await Promise.all(read)).flatMap(({ data }) => data.items);
  const now = seen.map((line) => found.find(({ id }) => id === line.id) ?? line);
  const changed = now.find((line, index) => line.version !== seen[index]?.version);
  if (!changed) return { seen: now };
  const path = { workspace, line: changed.id };
  const [moment] = (await getLineTimeline({ path, throwOnError: true })).data.moments;
  return { seen: now, actor: moment, at: moment?.at };
}

interface MeanwhileProps {
  seen: readonly Line[];
  theirs: Theirs<readonly Line[]>;
  goOn: () => void;
}

/** Changes by somebody else while the dialog was open. */
function Meanwhile({ seen, theirs, goOn }: MeanwhileProps) {
  const actor = useActors();
  const { locale } = useLocale();
  const changed = seen.flatMap((line) => {
    const current = theirs.seen.find(({ id }) => id === line.id);
    if (!current || current.version === line.version) return [];
    return [{ line, changes: differences(line, current, locale) }];
  });
  return (
    <div role="alert" className="rounded-md bg-warn-soft px-3 py-2 text-warn-ink">
      <p className="font-medium">Changed since you saw it. Nothing was done.</p>
      {theirs.actor && theirs.at && (
        <p>
          {actor(theirs.actor)} changed it <Time inline value={theirs.at} />.
        </p>
      )}
      <ul className="mt-1 flex flex-col gap-0.5">
        {changed.map(({ line, changes }) => (
          <li key={line.id}>
            <code className="font-mono text-xs">{line.sku}</code>:{" "}
            {changes.length > 0
              ? changes.map((c) => `${fieldName(c.field)} ${c.before} → ${c.after}`).join(", ")
              : "saved again with the same values"}
          </li>
        ))}
      </ul>
      <Button size="sm" className="mt-2" onClick={goOn}>
        Reload and decide again
      </Button>
    </div>
  );
}
