import { listFailureGroups } from "@/api/sdk.gen";
import type { FailureFilter, FailureStatus } from "./filter";

// Apart from the other queries: the frame of every page counts what is open, and loads only this.

/** Every answer about failures of a workspace hangs under this. */
export const root = (workspace: string) => ["failures", workspace];

export function groupsKey(workspace: string, status: FailureStatus, filter: FailureFilter) {
  return [...root(workspace), "groups", status, filter];
}

/** How many failures there are. */
export function countFailures(groups: readonly { failures: number }[] | undefined): number | undefined {
  return groups?.reduce((sum, group) => sum + group.failures, 0);
}

/** The groups of all that is open; the screen of failed imports shows the same answer. */
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
