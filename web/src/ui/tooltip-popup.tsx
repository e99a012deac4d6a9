import { Tooltip as Base } from "@base-ui/react/tooltip";
import type { ReactNode } from "react";

interface TooltipPopupProps {
  anchor: Element;
  side: "top" | "bottom" | "left" | "right";
  onClose: () => void;
  /** Called when the pointer moves from the element onto the hint, where it may rest. */
  onPointerEnter: () => void;
  onPointerLeave: () => void;
  children: ReactNode;
}

export function TooltipPopup({ anchor, side, onClose, children, ...pointer }: TooltipPopupProps) {
  return (
    <Base.Root open onOpenChange={(open) => !open && onClose()}>
      <Base.Portal>
        <Base.Positioner
          {...pointer}
          anchor={anchor}
          side={side}
          sideOffset={6}
          collisionPadding={8}
          className="z-50"
        >
          <Base.Popup className="max-w-72 origin-(--transform-origin) rounded-md bg-ink px-2 py-1 text-xs text-surface shadow-pop transition-opacity data-ending-style:opacity-0 data-starting-style:opacity-0">
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
