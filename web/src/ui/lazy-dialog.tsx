import { type ComponentType, useState } from "react";
import type { ConfirmDialogProps } from "./confirm-dialog";
import { lazyPart } from "./lazy-part";

/**
 * A dialog that is loaded when it is first shown. For dialogs with a form, whose validation code
 * most visitors of the page never need.
 */
export function lazyDialog<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  return lazyPart(load);
}

/** The same for a dialog that stays mounted after it is closed, and so keeps its state. */
export function lazyOnceOpened<P extends { open: boolean }>(
  load: () => Promise<ComponentType<P>>,
): ComponentType<P> {
  const Loaded = lazyDialog(load);
  return function OnceOpened(props: P) {
    const [wanted, setWanted] = useState(props.open);
    if (props.open && !wanted) setWanted(true);
    return wanted ? <Loaded {...props} /> : null;
  };
}

/** The confirm dialog, loaded when it is first opened. */
export const ConfirmDialog = lazyOnceOpened<ConfirmDialogProps & { open: boolean }>(
  async () => (await import("./confirm-dialog")).ConfirmDialog,
);
