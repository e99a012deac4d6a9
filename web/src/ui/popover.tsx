import { Popover as Base } from "@base-ui/react/popover";
import type { ReactElement, ReactNode } from "react";
import { Hold } from "@/lib/live";

interface PopoverProps {
  /** What it is for; read aloud. */
  label: string;
  trigger: ReactElement;
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
  children: ReactNode;
}

/** A small form beside what it is about. The page stays in sight. */
export function Popover({ label, trigger, open, onOpenChange, children }: PopoverProps) {
  return (
    <Base.Root open={open} onOpenChange={onOpenChange}>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner align="start" sideOffset={4} collisionPadding={8} className="z-40">
          <Base.Popup
            aria-label={label}
            className="pop max-h-(--available-height) w-72 max-w-(--available-width) overflow-y-auto p-3"
          >
            <Hold />
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
