import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { listConnectionsQueryKey } from "@/api/@tanstack/react-query.gen";
import { deleteConnection } from "@/api/sdk.gen";
import type { Connection } from "@/api/types.gen";
import { usePlace } from "@/lib/session";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { ConfirmDialog, lazyDialog } from "@/ui/lazy-dialog";
import { Time } from "@/ui/time";
import { toast } from "@/ui/toast";
import { TestResult } from "./test-result";

const AccessDialog = lazyDialog(async () => (await import("./access-dialog")).AccessDialog);
const PauseDialog = lazyDialog(async () => (await import("./pause-dialog")).PauseDialog);

/** Where the system is, and with which token it is called. */
export function AccessCard({ connection }: { connection: Connection }) {
  const [changing, setChanging] = useState(false);
  return (
    <Card
      title="Address and token"
      actions={
        <Button size="sm" onClick={() => setChanging(true)}>
          Change…
        </Button>
      }
    >
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1.5">
        <dt className="text-muted">Address</dt>
        <dd className="break-all">{connection.address}</dd>
        <dt className="text-muted">Token</dt>
        <dd>
          {connection.token_ending ? (
            <>
              ends with <code className="font-mono text-xs">{connection.token_ending}</code>
            </>
          ) : (
            "stored"
          )}
          {connection.token_set_at && (
            <span className="text-muted">
              , set <Time value={connection.token_set_at} />
            </span>
          )}
        </dd>
        {connection.state === "active" && (
          <>
            <dt className="text-muted">Test</dt>
            <dd>
              <TestResult connection={connection} />
            </dd>
          </>
        )}
      </dl>
      {changing && <AccessDialog connection={connection} onClosed={() => setChanging(false)} />}
    </Card>
  );
}

export function PauseCard({ connection }: { connection: Connection }) {
  const [pausing, setPausing] = useState(false);
  return (
    <Card
      title="In use"
      actions={
        <Button size="sm" onClick={() => setPausing(true)}>
          Pause…
        </Button>
      }
    >
      <p className="text-muted">
        Orders are compared one after the other, within {connection.calls_per_minute} calls a minute.
      </p>
      {pausing && <PauseDialog connection={connection} onClosed={() => setPausing(false)} />}
    </Card>
  );
}

export function DeleteCard({ connection }: { connection: Connection }) {
  const { workspace } = usePlace();
  const go = useNavigate();
  const client = useQueryClient();
  const [asking, setAsking] = useState(false);
  const path = { workspace: workspace.id };
  return (
    <Card
      title="Delete"
      actions={
        <Button size="sm" onClick={() => setAsking(true)}>
          Delete connection…
        </Button>
      }
    >
      <p className="text-muted">
        Deletes the token and ends the sync. Orders stay as they are on both sides.
      </p>
      <ConfirmDialog
        title={`Delete “${connection.name}”?`}
        confirm="Delete connection"
        typeToConfirm={connection.name}
        open={asking}
        onOpenChange={setAsking}
        onConfirm={async () => {
          await deleteConnection({ path: { ...path, connection: connection.id }, throwOnError: true });
          await client.invalidateQueries({ queryKey: listConnectionsQueryKey({ path }) });
          toast.success(`“${connection.name}” is deleted`);
          await go({ to: "/w/$workspace/connections", params: path });
        }}
      >
        Its token, its map and what both sides agreed on are no longer used. Orders stay as they are on both
        sides. This cannot be undone.
      </ConfirmDialog>
    </Card>
  );
}
