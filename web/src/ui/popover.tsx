import { type ReactElement, type ReactNode, useEffect } from "react";
import { onDemand, useFirstPress, withMore } from "./on-demand";

const popup = onDemand(() => import("./popover-popup"));

export interface PopoverProps {
  /** What it is for; read aloud. */
  label: string;
  trigger: ReactElement;
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
  children: ReactNode;
}

/** A small form beside what it is about. The page stays in sight. */
export function Popover(props: PopoverProps) {
  const { module, show, trigger, listeners } = useFirstPress(popup, { arrows: false });
  const { open } = props;
  useEffect(() => {
    if (open) void show();
  }, [open, show]);
  if (module) return <module.Popover {...props} triggerRef={trigger} />;
  return withMore(props.trigger, { "aria-haspopup": "dialog", "aria-expanded": false, ...listeners });
}
