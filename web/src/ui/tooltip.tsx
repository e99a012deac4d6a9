import {
  type FocusEvent,
  type PointerEvent,
  type ReactElement,
  type ReactNode,
  useEffect,
  useRef,
  useState,
} from "react";
import { onDemand, withMore } from "./on-demand";

interface TooltipProps {
  content: ReactNode;
  /** The element that is hovered or focused; it must accept listeners. */
  children: ReactElement;
  side?: "top" | "bottom" | "left" | "right";
}

const popup = onDemand(() => import("./tooltip-popup"));

/** How long a pointer rests before the hint appears, and for how long the next one appears at once. */
const restTime = 400;
/** Long enough to reach the hint itself. */
const leaveTime = 100;
let lastShown = 0;

/**
 * A hint for sighted readers only: screen readers do not announce it. Its text must also be in the
 * element's name or content.
 */
export function Tooltip({ content, children, side = "top" }: TooltipProps) {
  const [anchor, setAnchor] = useState<Element | null>(null);
  const wanted = useRef<Element>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  function after(delay: number, act: () => void) {
    clearTimeout(timer.current);
    timer.current = setTimeout(act, delay);
  }
  function show(element: Element, delay: number) {
    wanted.current = element;
    after(delay, async () => {
      await popup.load().catch(() => undefined); // without its code, no hint is shown
      if (wanted.current === element && element.isConnected) setAnchor(element);
    });
  }
  function hide() {
    clearTimeout(timer.current);
    wanted.current = null;
    if (anchor) lastShown = Date.now();
    setAnchor(null);
  }

  const element = withMore(children, {
    onPointerEnter: (event: PointerEvent) => {
      if (event.pointerType !== "touch")
        show(event.currentTarget, Date.now() - lastShown < restTime ? 0 : restTime);
    },
    onPointerLeave: () => after(leaveTime, hide),
    onPointerDown: hide,
    onFocus: (event: FocusEvent) =>
      event.currentTarget.matches(":focus-visible") && show(event.currentTarget, 0),
    onBlur: hide,
  });
  return (
    <>
      {element}
      {anchor && popup.module && (
        <popup.module.TooltipPopup
          anchor={anchor}
          side={side}
          onClose={hide}
          onPointerEnter={() => clearTimeout(timer.current)}
          onPointerLeave={() => after(leaveTime, hide)}
        >
          {content}
        </popup.module.TooltipPopup>
      )}
    </>
  );
}
