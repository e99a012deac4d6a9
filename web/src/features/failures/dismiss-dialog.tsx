import { dismissFailure } from "@/api/sdk.gen";
import type { Failure } from "@/api/types.gen";
import { eachOf } from "@/lib/each";
import { usePlace } from "@/lib/session";
import { dismissal, imports } from "@/messages/failure";
import { DismissDialog as Base } from "@/ui/dismiss-dialog";
import { toast } from "@/ui/toast";
import { useReloadFailures } from "./queries";
import { useReopen } from "./use-reopen";

interface DismissDialogProps {
  failures: readonly Failure[];
  close: () => void;
  done: () => void;
}

/** Dismisses failed imports with a reason. */
export function DismissDialog({ failures, close, done }: DismissDialogProps) {
  const { workspace } = usePlace();
  const reload = useReloadFailures();
  const reopen = useReopen();
  const count = failures.length;
  const what = count > 1 ? imports({ count }, workspace.locale) : (failures[0]?.record_key ?? "this record");
  return (
    <Base
      title={`Dismiss ${what}`}
      description={dismissal({ count }, workspace.locale)}
      question="Why can it be ignored?"
      usual={["A test", "Corrected and sent again", "Not needed any more", "Duplicate"]}
      dismiss={(reason) =>
        eachOf(failures, (one) => {
          const path = { workspace: workspace.id, failure: one.id };
          return dismissFailure({ path, body: { reason }, throwOnError: true });
        }).finally(reload)
      }
      onClosed={close}
      onDone={() => {
        done();
        toast.success(`Dismissed ${what}`, { undo: () => reopen(failures.map((one) => one.id)) });
      }}
    />
  );
}
