import { type RefObject, useEffect, useRef } from "react";

/**
 * For a control that removes its own row: without this the focus would return to the start of
 * the page. Call the returned function when the removal starts.
 */
export function useFocusAfterRemoval(): () => void {
  const removing = useRef(false);
  useEffect(
    () => () => {
      if (!removing.current) return;
      // After the dialog has tried to return the focus to the removed button.
      setTimeout(() => {
        if (document.activeElement === document.body)
          document.getElementById("main")?.focus({ preventScroll: true });
      }, 50);
    },
    [],
  );
  return () => {
    removing.current = true;
  };
}

/** Focuses the first field with an error, so that screen readers read the error aloud. */
export function useFocusRefused(refusal: object | undefined): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (refusal) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [refusal]);
  return form;
}
