import { useState } from "react";
import type { Double } from "@/api/types.gen";
import { Button } from "@/ui/button";
import { lazyOnceOpened } from "@/ui/lazy-dialog";
import type { MergeDialogProps } from "./merge-dialog";

const MergeDialog = lazyOnceOpened<MergeDialogProps>(
  async () => (await import("./merge-dialog")).MergeDialog,
);

interface MergeButtonProps {
  double: Double;
  /** Called with the other article before the lists are loaded again. */
  onMerged?: MergeDialogProps["onMerged"];
}

/** Merges an article into the one that has its SKU and an external_id, after a question. */
export function MergeButton({ double, onMerged }: MergeButtonProps) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button size="sm" aria-label={`Merge ${double.name}`} onClick={() => setOpen(true)}>
        Merge
      </Button>
      <MergeDialog double={double} open={open} onOpenChange={setOpen} {...(onMerged && { onMerged })} />
    </>
  );
}
