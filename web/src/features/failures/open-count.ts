import { listFailureGroups } from "@/api/sdk.gen";
import type { FailureFilter, FailureStatus } from "./filter";

// Separate from the other queries, because the frame of every page loads this file for its count.

/** The prefix of all query keys about failed imports of a workspace. */
export const root = (workspace: string) => ["failures", workspace];

export function groupsKey(workspace: string, status: FailureStatus, filter: FailureFilter) {
  return [...root(workspace), "groups", status, filter];
}

/** How many failures there are. */
export function countFailures(groups: readonly { failures: number }[] | undefined): number | undefined {
  return groups?.reduce((sum, group) => sum + group.failures, 0);
}

/** The groups of all open failed imports. Their page shares this query. */
export function openGroupsQuery(workspace: string) {
  return {
    queryKey: groupsKey(workspace, "open", {}),
    queryFn: async ({ signal }: { signal: AbortSignal }) => {
      const { data } = await listFailureGroups({ path: { workspace }, signal, throwOnError: true });
      return data.items;
    },
    refetchInterval: 30_000,
  };
}
