import { Undo2 } from "lucide-react";
import { useState } from "react";
import type { Run } from "@/api/types.gen";
import { usePlace } from "@/lib/session";
import { useShortcuts } from "@/lib/shortcuts";
import { cancelled, cancelledAndKept, mayUndo } from "@/messages/agent";
import { Button } from "@/ui/button";
import { ConfirmDialog } from "@/ui/lazy-dialog";
import { toast } from "@/ui/toast";
import { useUndo } from "./queries";
import { undoable } from "./words";

/** Undoes a run, after a confirmation. */
export function UndoButton({ run }: { run: Run }) {
  const { locale } = usePlace().workspace;
  const [asking, setAsking] = useState(false);
  const { mutateAsync } = useUndo(run);
  useShortcuts([{ keys: "u", label: "Undo the run", group: "Agent runs", run: () => setAsking(true) }]);
  return (
    <>
      <Button icon={<Undo2 aria-hidden />} onClick={() => setAsking(true)}>
        Undo…
      </Button>
      <ConfirmDialog
        title="Undo this run?"
        confirm="Undo the run"
        open={asking}
        onOpenChange={setAsking}
        onConfirm={async () => {
          const { undone: count, kept } = await mutateAsync();
          toast.success(kept > 0 ? cancelledAndKept({ count, kept }, locale) : cancelled({ count }, locale));
        }}
      >
        <p>{mayUndo({ count: undoable(run) }, locale)}</p>
        <p className="mt-2">
          Lines that somebody has changed, approved or cancelled since are kept as they are. The list of
          decisions says which, and why.
        </p>
      </ConfirmDialog>
    </>
  );
}
