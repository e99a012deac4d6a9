import { useQuery } from "@tanstack/react-query";
import { FlaskConical, Play } from "lucide-react";
import { useState } from "react";
import { getPlaybookConfigOptions } from "@/api/@tanstack/react-query.gen";
import { usePlace } from "@/lib/session";
import { useShortcuts } from "@/lib/shortcuts";
import { Button } from "@/ui/button";
import { ConfirmDialog } from "@/ui/lazy-dialog";
import { toast } from "@/ui/toast";
import { useStart } from "./queries";
import { fourEyes, limitWords } from "./words";

/** Starts the agent, for people who may draft lines. */
export function StartActions() {
  const { workspace, can } = usePlace();
  const [asking, setAsking] = useState(false);
  const start = useStart();
  const dryRun = useDryRun(start);
  const config = useQuery(getPlaybookConfigOptions({ path: { workspace: workspace.id } })).data;
  const group = "Agent runs";
  useShortcuts([
    { keys: "d", label: "Dry run", group, run: dryRun },
    { keys: "r", label: "Run the agent", group, run: () => setAsking(true) },
  ]);
  return (
    <>
      <Button icon={<FlaskConical aria-hidden />} loading={start.isPending && !asking} onClick={dryRun}>
        Dry run
      </Button>
      <Button variant="primary" icon={<Play aria-hidden />} onClick={() => setAsking(true)}>
        Run the agent…
      </Button>
      <ConfirmDialog
        title="Run the agent?"
        confirm="Run the agent"
        tone="primary"
        open={asking}
        onOpenChange={setAsking}
        onConfirm={() => start.mutateAsync(false)}
      >
        <p>
          The agent decides about everything that is to be ordered. {limitWords(config, workspace.locale)}
        </p>
        <p className="mt-2">
          It never approves
          {can("approve_lines") &&
            fourEyes(config) &&
            ", and you cannot approve its lines yourself if you start the run"}
          . The run can be undone.
        </p>
      </ConfirmDialog>
    </>
  );
}

function useDryRun({ mutate, isPending }: ReturnType<typeof useStart>): () => void {
  return () => {
    if (isPending) return;
    mutate(true, { onError: (error) => toast.error(error, "The dry run did not start") });
  };
}
