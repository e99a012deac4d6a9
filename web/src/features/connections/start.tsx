import { Play } from "lucide-react";
import { useState } from "react";
import { resumeConnection } from "@/api/sdk.gen";
import type { Connection } from "@/api/types.gen";
import { usePlace } from "@/lib/session";
import { Button } from "@/ui/button";
import { ConfirmDialog } from "@/ui/lazy-dialog";
import { toast } from "@/ui/toast";
import { useConnectionCall } from "./queries";

/** Takes a connection into use, after saying what then happens. */
export function StartButton({ connection }: { connection: Connection }) {
  const { workspace } = usePlace();
  const [asking, setAsking] = useState(false);
  const path = { workspace: workspace.id, connection: connection.id };
  const { mutateAsync } = useConnectionCall(() => resumeConnection({ path, throwOnError: true }));
  const start = connection.state === "draft" ? "Start syncing" : "Resume";
  const { may_export, may_load, location, test } = connection;
  const ready = test?.passed && (may_export ? location !== "" : may_load);
  return (
    <>
      <Button
        variant={ready ? "primary" : "secondary"}
        icon={<Play aria-hidden />}
        onClick={() => setAsking(true)}
      >
        {start}
      </Button>
      <ConfirmDialog
        title={`${start}?`}
        confirm={start}
        tone="primary"
        open={asking}
        onOpenChange={setAsking}
        onConfirm={async () => {
          await mutateAsync(undefined);
          toast.success(`${connection.name} is in use`);
        }}
      >
        <ul className="list-disc pl-5">
          {may_export && (
            <li>Open orders are created or changed in {connection.name}, one after the other.</li>
          )}
          {may_load && <li>Orders and receipts of {connection.name} are read into this workspace.</li>}
          <li>Where both sides disagree, nothing is written there until somebody decides.</li>
        </ul>
        <p className="mt-2">You can pause it at any time.</p>
      </ConfirmDialog>
    </>
  );
}
