import { dismissRecommendation } from "@/api/sdk.gen";
import type { Recommendation } from "@/api/types.gen";
import { eachOf } from "@/lib/each";
import { usePlace } from "@/lib/session";
import { dismiss, dismissed } from "@/messages/procurement";
import { DismissDialog as Base } from "@/ui/dismiss-dialog";
import { toast } from "@/ui/toast";
import { useRestore } from "./decisions";
import { useReloadQueue } from "./queries";

interface DismissDialogProps {
  rows: readonly Recommendation[];
  onClosed: () => void;
  onDone: () => void;
}

/** Turns recommendations down, with a reason. */
export function DismissDialog({ rows, onClosed, onDone }: DismissDialogProps) {
  const { workspace } = usePlace();
  const reload = useReloadQueue();
  const restore = useRestore();
  const said = { count: rows.length, name: rows[0]?.name ?? "" };
  return (
    <Base
      title={dismiss(said, workspace.locale)}
      description="It is not suggested again for the days that the playbook says, unless much more is needed."
      question="Why is it not needed?"
      usual={["Replaced by another article", "The season is over", "Ordered elsewhere", "Not sold any more"]}
      dismiss={(reason) =>
        eachOf(rows, ({ recommendation_key }) =>
          dismissRecommendation({
            path: { workspace: workspace.id },
            body: { recommendation_key, reason },
            throwOnError: true,
          }),
        ).finally(reload)
      }
      onClosed={onClosed}
      onDone={() => {
        onDone();
        toast.success(dismissed(said, workspace.locale), { undo: () => restore(rows) });
      }}
    />
  );
}
