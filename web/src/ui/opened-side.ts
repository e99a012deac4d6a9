import { useRef, useState } from "react";

type Side = "top" | "bottom";

/**
 * Keeps an open popup on the side on which it opened. If it flipped between the press and the release of
 * the pointer, as when the page below it grows, the click would be lost or hit something else.
 */
export function useOpenedSide(preferred: Side = "bottom") {
  const popup = useRef<HTMLDivElement>(null);
  const [opened, setOpened] = useState<Side>();
  return {
    popup,
    remember: (open: boolean) => setOpened(open ? (popup.current?.dataset.side as Side) : undefined),
    placed: { side: opened ?? preferred, collisionAvoidance: opened ? ({ side: "none" } as const) : {} },
  };
}
