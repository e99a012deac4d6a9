import { useQuery, useQueryClient } from "@tanstack/react-query";
import { listKeysQueryKey, listMembersQueryKey } from "@/api/@tanstack/react-query.gen";
import { listKeys, listMembers } from "@/api/sdk.gen";
import type { Key } from "@/api/types.gen";
import { allPages } from "@/lib/pages";
import { usePlace } from "@/lib/session";
import { useSteadyRows } from "@/lib/steady-rows";

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

/** The keys for a table of them; `wanted` stays the same while the table is shown. */
export function useKeys({ enabled = true, wanted = every as (key: Key) => boolean } = {}) {
  const { workspace } = usePlace();
  const options = keysQuery(workspace.id);
  const list = useQuery({ ...options, enabled });
  const steady = useSteadyRows({
    queryKey: options.queryKey,
    data: list.data,
    rowsOf: ({ items }) => items.filter(wanted),
    idOf: ({ id }) => id,
  });
  return { list, ...steady };
}

/** Every member of the company. */
export function membersQuery(tenant: string) {
  return {
    queryKey: ["all members", ...listMembersQueryKey({ path: { tenant } })],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      allPages((query) => listMembers({ path: { tenant }, query, signal, throwOnError: true })),
    staleTime: 60_000,
  };
}

/** Names members, as far as one may know them. */
export function useMemberName(): (id: string | undefined) => string {
  const { company } = usePlace();
  const members = useQuery(membersQuery(company.id)).data?.items;
  return (id) => {
    if (!members) return "…";
    return members.find((member) => member.id === id)?.name ?? "a former member";
  };
}

/** Asks for the keys again after one was made or ended. */
export function useReloadKeys(workspace: string): () => Promise<void> {
  const queryClient = useQueryClient();
  return () => queryClient.invalidateQueries({ queryKey: listKeysQueryKey({ path: { workspace } }) });
}

export const everyTable = "*";

/** Whether a key can write to a table now. */
export function opens(key: Key, slug: string): boolean {
  return key.status === "live" && (key.scope === slug || key.scope === everyTable);
}

export function scopeLabel(scope: string): string {
  return scope === everyTable ? "Every table" : scope;
}
