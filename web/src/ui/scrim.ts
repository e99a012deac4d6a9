/** The layer between a dialog and the page behind it. */
export const scrimClass =
  "fixed inset-0 bg-scrim transition-opacity duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0";
