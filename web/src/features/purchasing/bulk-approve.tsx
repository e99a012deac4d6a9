import { useQueries } from "@tanstack/react-query";
import { usePlace } from "@/lib/session";
import { Dialog } from "@/ui/dialog";
import { ErrorNote } from "@/ui/error-note";
import { SkeletonText } from "@/ui/skeleton";
import { ApproveDialog } from "./dialogs";
import { linesFor } from "./model";
import { wholeOrderQuery } from "./queries";

interface BulkApproveProps {
  orders: readonly string[];
  onClosed: () => void;
  onDone: () => void;
}

/** Approves the pending lines of several orders at once. It loads them first, to show what is approved. */
export function BulkApprove({ orders, onClosed, onDone }: BulkApproveProps) {
  const { workspace } = usePlace();
  const found = useQueries({ queries: orders.map((order) => wholeOrderQuery(workspace.id, order)) });
  const failed = found.find((one) => one.error && !one.data);
  if (found.every((one) => one.data)) {
    const lines = linesFor(
      found.flatMap((one) => one.data?.items ?? []),
      "approve",
    );
    return <ApproveDialog lines={lines} onClosed={onClosed} onDone={onDone} />;
  }
  return (
    <Dialog title="Approve" open onOpenChange={(open) => !open && onClosed()}>
      {failed ? (
        <ErrorNote error={failed.error} retry={failed.refetch} />
      ) : (
        <SkeletonText label="Loading the lines" />
      )}
    </Dialog>
  );
}
