import { useBlocker } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useState, useSyncExternalStore } from "react";
import { hostQuestion, mayLeave, unsaved } from "@/lib/unsaved";

// Most work is saved; the question is loaded when there is one to ask.
const LeaveDialog = lazy(async () => ({ default: (await import("./leave-dialog")).LeaveDialog }));

/** Keeps a page from being left with work that is not saved. Stands once in the frame of the app. */
export function LeaveGuard() {
  const any = useSyncExternalStore(unsaved.watch, () => unsaved.any);
  useBlocker({
    disabled: !any,
    // The browser asks when the tab is closed or loaded anew.
    enableBeforeUnload: () => unsaved.any,
    // Another filter or another row of the same page is not leaving it.
    shouldBlockFn: async ({ current, next }) => current.pathname !== next.pathname && !(await mayLeave()),
  });
  return <LeaveQuestion />;
}

/**
 * Puts the question when there is one. Every dialog has this inside, since the question must stand
 * above its dialog.
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
