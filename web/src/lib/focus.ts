import { type RefObject, useEffect, useRef } from "react";

/**
 * For a control that removes the row it stands in: the focus would fall back to the start of
 * the page. Call the returned function when the removal starts.
 */
export function useFocusAfterRemoval(): () => void {
  const removing = useRef(false);
  useEffect(
    () => () => {
      if (!removing.current) return;
      // After the dialog has tried to give the focus back to a button that is gone.
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

/** Takes the focus to the first field that a refusal is about; what is wrong is read out there. */
export function useFocusRefused(refusal: object | undefined): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (refusal) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [refusal]);
  return form;
}
