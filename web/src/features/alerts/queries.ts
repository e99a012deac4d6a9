import type { QueryClient } from "@tanstack/react-query";
import {
  countUnreadAlertsOptions,
  countUnreadAlertsQueryKey,
  listAlertsInfiniteOptions,
  listAlertsInfiniteQueryKey,
} from "@/api/@tanstack/react-query.gen";

// The service looks for causes every half minute. TanStack Query asks only while the page is
// visible, and once more when one comes back to it.
const refreshEvery = 30_000;

const pageOf = (workspace: string) => ({ path: { workspace }, query: { limit: 20 } });

export function unreadQuery(workspace: string) {
  return { ...countUnreadAlertsOptions({ path: { workspace } }), refetchInterval: refreshEvery };
}

export function alertsQuery(workspace: string) {
  return {
    ...listAlertsInfiniteOptions(pageOf(workspace)),
    initialPageParam: { path: { workspace } },
    getNextPageParam: (last: { next_cursor?: string }) => last.next_cursor,
    refetchInterval: refreshEvery,
  };
}

/** For what has changed who has read what. */
export async function refreshAlerts(queryClient: QueryClient, workspace: string): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: countUnreadAlertsQueryKey({ path: { workspace } }) }),
    queryClient.invalidateQueries({ queryKey: listAlertsInfiniteQueryKey(pageOf(workspace)) }),
  ]);
}
