import { Tooltip as Base } from "@base-ui/react/tooltip";
import type { ReactElement, ReactNode } from "react";

interface TooltipProps {
  content: ReactNode;
  /** The element that is hovered or focused; it must accept a ref and props. */
  children: ReactElement;
  side?: "top" | "bottom" | "left" | "right";
}

/**
 * A hint for sighted readers only: Base UI does not announce it. Whatever it says must also be
 * in the trigger's name or text.
 */
export function Tooltip({ content, children, side = "top" }: TooltipProps) {
  return (
    <Base.Root>
      <Base.Trigger render={children} />
      <Base.Portal>
        <Base.Positioner side={side} sideOffset={6} collisionPadding={8} className="z-50">
          <Base.Popup className="max-w-72 origin-(--transform-origin) rounded-md bg-ink px-2 py-1 text-xs text-surface shadow-pop transition-opacity data-ending-style:opacity-0 data-starting-style:opacity-0">
            {content}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
