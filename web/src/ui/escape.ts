import type { KeyboardEvent } from "react";

type BaseUIKeyboardEvent = KeyboardEvent<HTMLInputElement> & { preventBaseUIHandler: () => void };

/**
 * For fields with a list: Base UI empties such a field on Escape when its list is closed. What was
 * typed must survive that; Escape then belongs to whatever is around the field.
 */
export function keepOnEscape(event: BaseUIKeyboardEvent): void {
  const open = event.currentTarget.getAttribute("aria-expanded") === "true";
  if (event.key === "Escape" && !open) event.preventBaseUIHandler();
}
