import { type ReactNode, useId, useState } from "react";
import type { Line } from "@/api/types.gen";
import { type ApiError, toApiError } from "@/lib/problem";
import { Button } from "@/ui/button";
import { Dialog, DialogClose } from "@/ui/dialog";
import { toast } from "@/ui/toast";
import { differences, fieldName } from "./model";
import { Refusal } from "./parts";
import { useReloadPurchasing } from "./queries";

interface ActionDialogProps {
  title: string;
  description?: ReactNode;
  confirm: string;
  tone?: "primary" | "danger";
  size?: "sm" | "md" | "lg";
  /** The lines as they are known now: they change when somebody else's change comes in. */
  lines: readonly Line[];
  /** Gets the lines that the dialog was opened with: what one sees is what one decides on. */
  children: (seen: readonly Line[]) => ReactNode;
  /** Does it, and returns what was done in words. */
  act: (seen: readonly Line[]) => Promise<string>;
  /** What to offer about a refusal, instead of only showing it. */
  answer?: (failure: ApiError) => ReactNode;
  onClosed: () => void;
  onDone?: (() => void) | undefined;
}

/** What all actions on lines share: what was seen, what was refused, what changed meanwhile. */
export function ActionDialog({
  title,
  description,
  confirm,
  tone = "primary",
  size = "sm",
  lines,
  children,
  act,
  answer,
  onClosed,
  onDone,
}: ActionDialogProps) {
  const [open, setOpen] = useState(true);
  const [seen, setSeen] = useState(lines);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<ApiError>();
  const formId = useId();
  const reload = useReloadPurchasing();
  const stale = failure?.status === 412;

  async function run() {
    if (busy) return;
    setBusy(true);
    setFailure(undefined);
    try {
      const said = await act(seen);
      toast.success(said);
      setOpen(false);
      onDone?.();
      await reload();
    } catch (cause) {
      const error = toApiError(cause);
      if (error.status === 412) await reload();
      setFailure(error);
    } finally {
      setBusy(false);
    }
  }

  return (
    <Dialog
      title={title}
      description={description}
      size={size}
      open={open}
      onOpenChange={(next) => !busy && setOpen(next)}
      onClosed={onClosed}
      footer={
        <>
          <DialogClose>
            <Button className="max-md:h-11 max-md:flex-1">Cancel</Button>
          </DialogClose>
          <Button
            type="submit"
            form={formId}
            variant={tone}
            loading={busy}
            disabled={stale}
            className="max-md:h-11 max-md:flex-1"
          >
            {confirm}
          </Button>
        </>
      }
    >
      <form
        id={formId}
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        {children(seen)}
        {stale && (
          <Meanwhile
            seen={seen}
            now={lines}
            goOn={() => {
              setSeen(seen.map((line) => lines.find((now) => now.id === line.id) ?? line));
              setFailure(undefined);
            }}
          />
        )}
        {failure && !stale && (answer?.(failure) || <Refusal error={failure} />)}
      </form>
    </Dialog>
  );
}

interface MeanwhileProps {
  seen: readonly Line[];
  now: readonly Line[];
  goOn: () => void;
}

/** What somebody else changed while the dialog was open. */
function Meanwhile({ seen, now, goOn }: MeanwhileProps) {
  const changed = seen.flatMap((line) => {
    const current = now.find(({ id }) => id === line.id);
    if (!current || current.version === line.version) return [];
    return [{ line, changes: differences(line, current) }];
  });
  return (
    <div role="alert" className="rounded-md bg-warn-soft px-3 py-2 text-warn-ink">
      <p className="font-medium">Changed since you saw it. Nothing was done.</p>
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
