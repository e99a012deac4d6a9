import { useQuery, useQueryClient } from "@tanstack/react-query";
import { listKeysQueryKey } from "@/api/@tanstack/react-query.gen";
import { listKeys } from "@/api/sdk.gen";
import type { Key } from "@/api/types.gen";
import { type ListRows, useWholeRows } from "@/lib/list-rows";
import { allPages } from "@/lib/pages";
import { usePlace } from "@/lib/session";

/** Every key of the workspace, ended ones included. */
export function keysQuery(workspace: string) {
  return {
    queryKey: listKeysQueryKey({ path: { workspace } }),
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      allPages((query) => listKeys({ path: { workspace }, query, signal, throwOnError: true })),
    refetchInterval: 10_000,
  };
}

const every = () => true;

/** The keys for a list; `wanted` must not change while the list is shown. */
export function useKeys({ enabled = true, wanted = every as (key: Key) => boolean } = {}): ListRows<Key> {
  const { workspace } = usePlace();
  const options = keysQuery(workspace.id);
  const list = useQuery({ ...options, enabled });
  return useWholeRows(list, {
    queryKey: options.queryKey,
    rowsOf: ({ items }) => items.filter(wanted),
    idOf: ({ id }) => id,
  });
}

/** Refetches the keys after one was created or has ended. */
export function useReloadKeys(workspace: string): () => Promise<void> {
  const queryClient = useQueryClient();
  return () => queryClient.invalidateQueries({ queryKey: listKeysQueryKey({ path: { workspace } }) });
}

export const everyTable = "*";

/** Whether a key can write to a table now. */
export function opens(key: Key, slug: string): boolean {
  return key.status === "live" && (key.scope === slug || key.scope === everyTable);
}

/** Whether a key with this scope writes purchase order lines. */
export function writesLines(scope: string): boolean {
  return scope === everyTable || scope === "purchase_order_lines";
}

export function scopeLabel(scope: string): string {
  return scope === everyTable ? "Every table" : scope;
}
