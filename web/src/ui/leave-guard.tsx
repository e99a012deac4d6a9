import { useBlocker } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useState, useSyncExternalStore } from "react";
import { hostQuestion, mayLeave, unsaved } from "@/lib/unsaved";

// Rarely needed, so the dialog is loaded on demand.
const LeaveDialog = lazy(async () => ({ default: (await import("./leave-dialog")).LeaveDialog }));

/** Asks before a page with unsaved changes is left. The app's frame contains it once. */
export function LeaveGuard() {
  const any = useSyncExternalStore(unsaved.watch, () => unsaved.any);
  useBlocker({
    disabled: !any,
    // The browser itself asks when the tab is closed or reloaded.
    enableBeforeUnload: () => unsaved.any,
    // A change of filter or row on the same page does not leave it.
    shouldBlockFn: async ({ current, next }) => current.pathname !== next.pathname && !(await mayLeave()),
  });
  return <LeaveQuestion />;
}

/**
 * Shows the question when needed. Every dialog contains one, because the question must be above its
 * dialog.
 */
export function LeaveQuestion() {
  const [answer, setAnswer] = useState<(leave: boolean) => void>();
  useEffect(() => hostQuestion(() => new Promise<boolean>((resolve) => setAnswer(() => resolve))), []);
  if (!answer) return null;
  return (
    <Suspense>
      <LeaveDialog
        onAnswer={(leave) => {
          answer(leave);
          setAnswer(undefined);
        }}
      />
    </Suspense>
  );
}
