import { type ComponentType, useState } from "react";
import type { ConfirmDialogProps } from "./confirm-dialog";
import { lazyPart } from "./lazy-part";

/**
 * A dialog that is loaded when it is first shown. For those with a form: it brings validation
 * that most who look at the page never need.
 */
export function lazyDialog<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  return lazyPart(load);
}

/** The same for a dialog that stays after it was closed: what it made is still in it. */
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

/** The question before what cannot be taken back, for where its caller opens it. */
export const ConfirmDialog = lazyOnceOpened<ConfirmDialogProps & { open: boolean }>(
  async () => (await import("./confirm-dialog")).ConfirmDialog,
);
