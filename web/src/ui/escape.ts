import type { KeyboardEvent } from "react";

type BaseUIKeyboardEvent = KeyboardEvent<HTMLInputElement> & { preventBaseUIHandler: () => void };

/**
 * For fields with a list: Base UI empties such a field on Escape if its list is closed. This keeps
 * the typed text, and leaves Escape to the surrounding dialog.
 */
export function keepOnEscape(event: BaseUIKeyboardEvent): void {
  const open = event.currentTarget.getAttribute("aria-expanded") === "true";
  if (event.key === "Escape" && !open) event.preventBaseUIHandler();
}
