import { Ban, Pencil, RotateCcw, Send } from "lucide-react";
import type { Failure } from "@/api/types.gen";
import { Button } from "@/ui/button";
import type { PanelProps } from "./failure-panel";
import { useReopen } from "./use-reopen";
import { nameOf } from "./use-retry";

/** The actions on one failed import. */
export function FailureActions({ failure, ...props }: PanelProps & { failure: Failure }) {
  const reopen = useReopen();
  if (failure.status === "resolved") return null;
  // After an internal error the record itself is probably fine.
  const ours = failure.http_status >= 500;
  return (
    <div className="flex flex-wrap gap-2">
      <Button
        variant={ours ? "secondary" : "primary"}
        icon={<Pencil aria-hidden />}
        onClick={() => props.onEdit(true)}
      >
        Edit and retry
      </Button>
      <Button
        variant={ours ? "primary" : "secondary"}
        icon={<Send aria-hidden />}
        loading={props.retrying}
        onClick={() => props.onRetry({ id: failure.id, name: nameOf(failure) })}
      >
        Retry unchanged
      </Button>
      {failure.status === "open" ? (
        <Button variant="ghost" icon={<Ban aria-hidden />} onClick={() => props.onDismiss([failure])}>
          Dismiss…
        </Button>
      ) : (
        <Button variant="ghost" icon={<RotateCcw aria-hidden />} onClick={() => reopen([failure.id])}>
          Reopen
        </Button>
      )}
    </div>
  );
}
