import { Dialog as Base } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import { type ReactElement, type ReactNode, type RefObject, useEffect, useRef, useState } from "react";
import { cx } from "@/lib/cx";
import { DialogWork } from "@/lib/dialog-work";
import { Hold } from "@/lib/live";
import { mayLeave, UnsavedWork } from "@/lib/unsaved";
import { IconButton } from "./icon-button";
import { LeaveQuestion } from "./leave-guard";
import { scrimClass } from "./scrim";

const placements = {
  center:
    "inset-x-3 top-[max(1rem,8vh)] mx-auto max-h-[min(44rem,calc(100dvh-max(2rem,16vh)))] rounded-lg border border-line data-starting-style:translate-y-2 data-ending-style:translate-y-2 data-starting-style:opacity-0 data-ending-style:opacity-0",
  right:
    "inset-y-0 right-0 h-dvh w-full border-line sm:border-l data-starting-style:translate-x-full data-ending-style:translate-x-full",
  left: "inset-y-0 left-0 h-dvh w-full max-w-[calc(100vw-3.5rem)] border-line border-r data-starting-style:-translate-x-full data-ending-style:-translate-x-full",
};

const fieldSelector =
  "input:not([type=radio],[type=checkbox],[aria-hidden],:disabled),textarea:not(:disabled),[role=combobox]";

const widths = { sm: "sm:max-w-md", md: "sm:max-w-xl", lg: "sm:max-w-3xl" };

interface DialogProps {
  title: ReactNode;
  description?: ReactNode;
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
  /** Called after the closing transition, when the dialog may be unmounted. */
  onClosed?: () => void;
  trigger?: ReactElement;
  /** "right" is the drawer that shows a record beside its list. */
  placement?: keyof typeof placements;
  size?: keyof typeof widths;
  footer?: ReactNode;
  /** By default the first field, or the first button if there are no fields. */
  initialFocus?: RefObject<HTMLElement | null>;
  /** Shows the title to screen readers only, for dialogs that start with a search field. */
  bare?: boolean;
  /** The edit that the dialog is the form of. Edits that begin inside the dialog register themselves. */
  edit?: { session: { attach: (work: UnsavedWork) => () => void } } | undefined;
  children?: ReactNode;
}

export function Dialog({
  title,
  description,
  open,
  onOpenChange,
  onClosed,
  trigger,
  placement = "center",
  size = "sm",
  footer,
  initialFocus,
  bare,
  edit,
  children,
}: DialogProps) {
  const popup = useRef<HTMLDivElement>(null);
  const [work] = useState(() => new UnsavedWork());
  const session = edit?.session;
  useEffect(() => session?.attach(work), [session, work]);

  /** Closes at once if everything is saved; otherwise asks first. */
  function change(next: boolean, details: Base.Root.ChangeEventDetails) {
    if (next || !work.any) return onOpenChange?.(next);
    details.cancel();
    void mayLeave(work).then((leave) => leave && onOpenChange?.(false));
  }

  return (
    <Base.Root open={open} onOpenChange={change} onOpenChangeComplete={(now) => !now && onClosed?.()}>
      {trigger && <Base.Trigger render={trigger} />}
      <Base.Portal>
        <Base.Backdrop className={cx(scrimClass, "z-40")} />
        <Base.Popup
          ref={popup}
          initialFocus={
            initialFocus ??
            // On touch screens the keyboard would cover half of the dialog, so no field gets the focus.
            ((by) => by === "touch" || (popup.current?.querySelector<HTMLElement>(fieldSelector) ?? true))
          }
          className={cx(
            "fixed z-50 flex flex-col overflow-hidden bg-raised text-ink shadow-pop outline-none transition duration-150 ease-out",
            placements[placement],
            widths[size],
          )}
        >
          <Hold />
          <LeaveQuestion />
          {bare ? (
            <Base.Title className="sr-only">{title}</Base.Title>
          ) : (
            <header className="flex items-start gap-3 px-5 pt-4 pb-3">
              <div className="min-w-0 flex-1">
                <Base.Title className="font-semibold text-lg text-ink">{title}</Base.Title>
                {description && (
                  <Base.Description className="mt-0.5 text-muted">{description}</Base.Description>
                )}
              </div>
              <Base.Close
                render={
                  <IconButton label="Close" icon={<X />} size="sm" tooltip={false} className="-mr-1.5" />
                }
              />
            </header>
          )}
          <DialogWork value={work}>
            {bare ? (
              children
            ) : (
              <div className="min-h-0 flex-1 overflow-y-auto px-5 pt-1 pb-5">{children}</div>
            )}
          </DialogWork>
          {footer && (
            <footer className="flex flex-wrap items-center justify-end gap-2 border-line border-t bg-canvas px-5 py-3">
              {footer}
            </footer>
          )}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

/** Wraps a button that closes the surrounding dialog. */
export function DialogClose({ children }: { children: ReactElement }) {
  return <Base.Close render={children} />;
}
