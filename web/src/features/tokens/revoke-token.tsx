import { useMutation } from "@tanstack/react-query";
import { revokeTokenMutation } from "@/api/@tanstack/react-query.gen";
import type { Token } from "@/api/types.gen";
import { usePlace } from "@/lib/session";
import { ConfirmDialog } from "@/ui/confirm-dialog";
import { Time } from "@/ui/time";
import { toast } from "@/ui/toast";
import { useOwner, useReloadTokens } from "./queries";
import { scopeName } from "./scopes";

/** Revokes a token, after showing whose it is. */
export function RevokeToken({ target, close }: { target: Token; close: () => void }) {
  const { workspace } = usePlace();
  const owner = useOwner();
  const reload = useReloadTokens(workspace.id);
  const { mutateAsync } = useMutation(revokeTokenMutation());
  return (
    <ConfirmDialog
      title={`Revoke “${target.label}”?`}
      confirm="Revoke token"
      open
      onOpenChange={(open) => !open && close()}
      onConfirm={async () => {
        await mutateAsync({ path: { workspace: workspace.id, token: target.id } });
        await reload();
        toast.success(`“${target.label}” is revoked`, { description: "Its next call gets 401." });
      }}
    >
      <dl className="mb-3 grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 rounded-md bg-sunken px-3 py-2 text-ink">
        <dt className="text-muted">Token</dt>
        <dd className="font-mono text-xs leading-5">{target.prefix}…</dd>
        <dt className="text-muted">For</dt>
        <dd className="min-w-0 truncate">{owner(target)}</dd>
        <dt className="text-muted">May</dt>
        <dd>{target.scopes.map(scopeName).join(", ")}</dd>
        <dt className="text-muted">Last used</dt>
        <dd>{target.last_used_at ? <Time value={target.last_used_at} /> : "never"}</dd>
      </dl>
      <p>Calls with this token are refused at once. What was done with it stays. This cannot be undone.</p>
    </ConfirmDialog>
  );
}
