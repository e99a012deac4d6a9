import { Popover as Base } from "@base-ui/react/popover";
import type { ReactNode, RefObject } from "react";
import { Hold } from "@/lib/live";

interface HangingPanelProps {
  /** The button that opens the panel; it sets aria-expanded itself. */
  anchor: RefObject<HTMLElement | null>;
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  /** Right of the title. */
  actions?: ReactNode;
  children: ReactNode;
}

/** A panel below a button of the frame. On a phone it is as wide as the screen. */
export function HangingPanel({ anchor, open, onOpenChange, title, actions, children }: HangingPanelProps) {
  return (
    <Base.Root
      open={open}
      onOpenChange={(next, { event }) => {
        // The button itself closes the panel; closing it here too would open it again.
        if (event.target instanceof Node && anchor.current?.contains(event.target)) return;
        onOpenChange(next);
      }}
    >
      <Base.Portal>
        <Base.Positioner
          anchor={anchor}
          align="end"
          sideOffset={6}
          collisionPadding={8}
          className="z-50 w-[min(26rem,calc(100vw-1rem))]"
        >
          <Base.Popup
            finalFocus={anchor}
            className="pop flex max-h-[min(var(--available-height),36rem)] flex-col overflow-hidden"
          >
            <Hold />
            <div className="flex min-h-11 items-center gap-3 border-line border-b px-4 py-1.5">
              <Base.Title className="flex-1 font-semibold text-base">{title}</Base.Title>
              {actions}
            </div>
            <div className="min-h-0 overflow-y-auto">{children}</div>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
