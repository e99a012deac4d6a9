import { useState } from "react";
import type { Connection } from "@/api/types.gen";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { CopyButton } from "@/ui/copy-button";
import { lazyDialog } from "@/ui/lazy-dialog";
import { Time } from "@/ui/time";

const HookDialog = lazyDialog(async () => (await import("./hook-dialog")).HookDialog);

/** Where the other system sends its webhooks, and whether their secret is known here. */
export function WebhooksCard({ connection }: { connection: Connection }) {
  const [changing, setChanging] = useState(false);
  const { id, hook_set_at } = connection;
  const address = `${location.origin}/hooks/inventory/${id}`;
  return (
    <Card
      title="Webhooks"
      description="Optional: changes of orders there are noticed within seconds instead of a minute."
      actions={
        <Button size="sm" onClick={() => setChanging(true)}>
          {hook_set_at ? "Change secret…" : "Set secret…"}
        </Button>
      }
    >
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1.5">
        <dt className="text-muted">Address</dt>
        <dd className="flex items-start gap-0.5">
          <code className="break-all font-mono text-xs">{address}</code>
          <CopyButton value={address} label="Copy the address" />
        </dd>
        <dt className="text-muted">Secret</dt>
        <dd>
          {hook_set_at ? (
            <>
              set <Time value={hook_set_at} />
            </>
          ) : (
            "not set: webhooks are refused until then"
          )}
        </dd>
      </dl>
      {changing && <HookDialog connection={connection} onClosed={() => setChanging(false)} />}
    </Card>
  );
}
