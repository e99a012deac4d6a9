import { useQuery, useQueryClient } from "@tanstack/react-query";
import {
  listAgentsOptions,
  listInvitationsQueryKey,
  listMembersQueryKey,
} from "@/api/@tanstack/react-query.gen";
import { listInvitations, listMembers } from "@/api/sdk.gen";
import type { Invitation, Member } from "@/api/types.gen";
import { agentName } from "@/lib/agents";
import { type ListRows, useWholeRows } from "@/lib/list-rows";
import { allPages } from "@/lib/pages";
import { usePlace } from "@/lib/session";

// Companies have hundreds of members, not millions. All pages are read, so that every name can be
// looked up.

/** Every member of the company. */
export function membersQuery(tenant: string) {
  return {
    queryKey: listMembersQueryKey({ path: { tenant } }),
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      allPages((query) => listMembers({ path: { tenant }, query, signal, throwOnError: true })),
    staleTime: 60_000,
  };
}

export function useMembers(): ListRows<Member> {
  const options = { ...membersQuery(usePlace().company.id), staleTime: 0 };
  return useWholeRows(useQuery(options), { queryKey: options.queryKey, rowsOf, idOf });
}

export function useInvitations(): ListRows<Invitation> {
  const path = { tenant: usePlace().company.id };
  const queryKey = listInvitationsQueryKey({ path });
  const list = useQuery({
    queryKey,
    queryFn: ({ signal }) =>
      allPages((query) => listInvitations({ path, query, signal, throwOnError: true })),
  });
  return useWholeRows(list, { queryKey, rowsOf, idOf });
}

const rowsOf = <T>({ items }: { items: T[] }) => items;
const idOf = ({ id }: { id: string }) => id;

/** Names members, as far as the person may see names. */
export function useMemberName(former = "a former member"): (id: string | undefined) => string {
  const { company } = usePlace();
  const members = useQuery(membersQuery(company.id)).data?.items;
  return (id) => {
    if (!members) return "…";
    return members.find((member) => member.id === id)?.name ?? former;
  };
}

/** Names agents. */
export function useAgentName(): (id: string | undefined, unknown?: string) => string {
  const path = { workspace: usePlace().workspace.id };
  const agents = useQuery({ ...listAgentsOptions({ path }), staleTime: 60_000 }).data?.items;
  return (id, unknown) => agentName(id, agents?.find((agent) => agent.id === id)?.name, unknown);
}

/** Refetches both lists: an accepted invitation moves from one to the other. */
export function useReloadLists(): () => Promise<void> {
  const queryClient = useQueryClient();
  const path = { tenant: usePlace().company.id };
  return async () => {
    await Promise.all([
      queryClient.invalidateQueries({ queryKey: listMembersQueryKey({ path }) }),
      queryClient.invalidateQueries({ queryKey: listInvitationsQueryKey({ path }) }),
    ]);
  };
}
