import { type ReactElement, type ReactNode, useEffect } from "react";
import { onDemand, useFirstPress, withMore } from "./on-demand";

const popup = onDemand(() => import("./popover-popup"));

export interface PopoverProps {
  /** Names the popover, for screen readers. */
  label: string;
  trigger: ReactElement;
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
  children: ReactNode;
}

/** A small form beside the element that it is about. The page stays visible. */
export function Popover(props: PopoverProps) {
  const { module, show, trigger, listeners } = useFirstPress(popup, { arrows: false });
  const { open } = props;
  useEffect(() => {
    if (open) void show();
  }, [open, show]);
  if (module) return <module.Popover {...props} triggerRef={trigger} />;
  return withMore(props.trigger, { "aria-haspopup": "dialog", "aria-expanded": false, ...listeners });
}
