import { Popover as Base } from "@base-ui/react/popover";
import type { Ref } from "react";
import { Hold } from "@/lib/live";
import type { PopoverProps } from "./popover";

export function Popover({
  label,
  trigger,
  triggerRef,
  open,
  onOpenChange,
  children,
}: PopoverProps & { triggerRef: Ref<HTMLButtonElement> }) {
  return (
    <Base.Root open={open} onOpenChange={onOpenChange}>
      <Base.Trigger ref={triggerRef} render={trigger} />
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
