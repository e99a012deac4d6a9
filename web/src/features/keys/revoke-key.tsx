import { useMutation } from "@tanstack/react-query";
import { revokeKeyMutation } from "@/api/@tanstack/react-query.gen";
import type { Key } from "@/api/types.gen";
import { usePlace } from "@/lib/session";
import { ConfirmDialog } from "@/ui/confirm-dialog";
import { Num } from "@/ui/num";
import { Time } from "@/ui/time";
import { toast } from "@/ui/toast";
import { scopeLabel, useReloadKeys } from "./queries";

/** Revokes a key, after showing its recent use. */
export function RevokeKey({ target, close }: { target: Key; close: () => void }) {
  const { workspace } = usePlace();
  const reload = useReloadKeys(workspace.id);
  const { mutateAsync } = useMutation(revokeKeyMutation());
  const busy = target.calls_24h > 0;
  return (
    <ConfirmDialog
      title={`Revoke “${target.label}”?`}
      confirm="Revoke key"
      open
      onOpenChange={(open) => !open && close()}
      onConfirm={async () => {
        await mutateAsync({ path: { workspace: workspace.id, key: target.id } });
        await reload();
        toast.success(`“${target.label}” is revoked`, { description: "Its next call gets 401." });
      }}
    >
      <dl className="mb-3 grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 rounded-md bg-sunken px-3 py-2 text-ink">
        <dt className="text-muted">Key</dt>
        <dd className="font-mono text-xs leading-5">{target.prefix}…</dd>
        <dt className="text-muted">Writes to</dt>
        <dd>{scopeLabel(target.scope)}</dd>
        <dt className="text-muted">Last 24 hours</dt>
        <dd>
          <Num value={target.calls_24h} /> calls
        </dd>
        <dt className="text-muted">Last used</dt>
        <dd className="min-w-0 truncate">
          {target.last_used_at ? (
            <>
              <Time inline value={target.last_used_at} /> from {target.last_used_from}
            </>
          ) : (
            "never"
          )}
        </dd>
      </dl>
      <p>
        {busy
          ? "Something still uses this key: it will be refused at once. To change over without a gap, rotate the key instead."
          : "Nothing has used this key in the last 24 hours."}{" "}
        This cannot be undone.
      </p>
    </ConfirmDialog>
  );
}
