import { AlertDialog as Base } from "@base-ui/react/alert-dialog";
import { type ReactElement, type ReactNode, useState } from "react";
import { cx } from "@/lib/cx";
import { useFocusAfterRemoval } from "@/lib/focus";
import { Hold } from "@/lib/live";
import { Button } from "./button";
import { ErrorNote } from "./error-note";
import { Field } from "./field";
import { Input } from "./input";
import { scrimClass } from "./scrim";

export interface ConfirmDialogProps {
  title: string;
  /** What will happen, to how many things, and whether it can be undone. */
  children: ReactNode;
  /** A verb: "Revoke key", never "OK". */
  confirm: string;
  onConfirm: () => Promise<unknown> | unknown;
  tone?: "danger" | "primary";
  /** A name that must be typed first, for actions that cannot be undone. */
  typeToConfirm?: string;
  trigger?: ReactElement;
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
}

export function ConfirmDialog({
  title,
  children,
  confirm,
  onConfirm,
  tone = "danger",
  typeToConfirm,
  trigger,
  open,
  onOpenChange,
}: ConfirmDialogProps) {
  const [innerOpen, setInnerOpen] = useState(false);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const [typed, setTyped] = useState("");
  const keepFocus = useFocusAfterRemoval();

  function change(next: boolean) {
    // Closing while the call runs would hide whether it worked.
    if (busy) return;
    setFailure(undefined);
    setTyped("");
    setInnerOpen(next);
    onOpenChange?.(next);
  }

  async function act() {
    setBusy(true);
    setFailure(undefined);
    keepFocus();
    try {
      await onConfirm();
      setInnerOpen(false);
      setTyped("");
      onOpenChange?.(false);
    } catch (cause) {
      setFailure(cause);
    } finally {
      setBusy(false);
    }
  }

  return (
    <Base.Root open={open ?? innerOpen} onOpenChange={change}>
      {trigger && <Base.Trigger render={trigger} />}
      <Base.Portal>
        <Base.Backdrop className={cx(scrimClass, "z-40")} />
        <Base.Popup className="fixed inset-x-3 top-[max(1rem,16vh)] z-50 mx-auto max-w-md overflow-hidden rounded-lg border border-line bg-raised text-ink shadow-pop outline-none transition duration-150 data-ending-style:translate-y-2 data-starting-style:translate-y-2 data-ending-style:opacity-0 data-starting-style:opacity-0">
          <Hold />
          <div className="flex flex-col gap-3 p-5">
            <Base.Title className="font-semibold text-lg">{title}</Base.Title>
            <Base.Description render={<div />} className="text-muted">
              {children}
            </Base.Description>
            {typeToConfirm && (
              <Field
                label={
                  <>
                    Type <strong className="font-semibold">{typeToConfirm}</strong> to confirm
                  </>
                }
              >
                <Input
                  value={typed}
                  onChange={(event) => setTyped(event.currentTarget.value)}
                  autoComplete="off"
                />
              </Field>
            )}
            {failure !== undefined && <ErrorNote error={failure} />}
          </div>
          <div className="flex justify-end gap-2 border-line border-t bg-canvas px-5 py-3">
            <Base.Close render={<Button disabled={busy}>Cancel</Button>} />
            <Button
              variant={tone}
              loading={busy}
              disabled={typeToConfirm !== undefined && typed !== typeToConfirm}
              onClick={act}
            >
              {confirm}
            </Button>
          </div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
