import { AlertDialog as Base } from "@base-ui/react/alert-dialog";
import { useRef, useState } from "react";
import { cx } from "@/lib/cx";
import { Hold } from "@/lib/live";
import { Button } from "./button";
import { scrimClass } from "./scrim";

/** Asks whether to leave and lose unsaved changes. Escape means to stay. */
export function LeaveDialog({ onAnswer }: { onAnswer: (leave: boolean) => void }) {
  const [said, setSaid] = useState<boolean>();
  const stay = useRef<HTMLButtonElement>(null);
  return (
    <Base.Root
      open={said === undefined}
      onOpenChange={(open) => !open && setSaid(false)}
      // After the dialog has closed, so that the focus is back where it was.
      onOpenChangeComplete={(open) => !open && onAnswer(said ?? false)}
    >
      <Base.Portal>
        <Base.Backdrop className={cx(scrimClass, "z-55")} forceRender />
        <Base.Popup
          initialFocus={stay}
          className="fixed inset-x-3 top-[max(1rem,16vh)] z-60 mx-auto max-w-md overflow-hidden rounded-lg border border-line bg-raised text-ink shadow-pop outline-none transition duration-150 data-ending-style:translate-y-2 data-starting-style:translate-y-2 data-ending-style:opacity-0 data-starting-style:opacity-0"
        >
          <Hold />
          <div className="flex flex-col gap-2 p-5">
            <Base.Title className="font-semibold text-lg">You have unsaved changes</Base.Title>
            <Base.Description className="text-muted">
              What you typed is not saved yet. If you leave now, it is lost.
            </Base.Description>
          </div>
          <div className="flex flex-wrap justify-end gap-2 border-line border-t bg-canvas px-5 py-3">
            <Button className="max-sm:h-11 max-sm:grow" onClick={() => setSaid(true)}>
              Leave without saving
            </Button>
            <Base.Close
              ref={stay}
              render={
                <Button variant="primary" className="max-sm:h-11 max-sm:grow">
                  Stay
                </Button>
              }
            />
          </div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
