import type { QueryClient } from "@tanstack/react-query";
import {
  countUnreadAlertsOptions,
  countUnreadAlertsQueryKey,
  listAlertsInfiniteOptions,
  listAlertsInfiniteQueryKey,
} from "@/api/@tanstack/react-query.gen";

// The service looks for causes every half minute.
const refreshEvery = 30_000;

const pageOf = (workspace: string) => ({ path: { workspace }, query: { limit: 20 } });

export function unreadQuery(workspace: string) {
  return { ...countUnreadAlertsOptions({ path: { workspace } }), refetchInterval: refreshEvery };
}

/** Not polled: nothing moves in a panel that is open. */
export function alertsQuery(workspace: string) {
  return {
    ...listAlertsInfiniteOptions(pageOf(workspace)),
    initialPageParam: { path: { workspace } },
    getNextPageParam: (last: { next_cursor?: string }) => last.next_cursor,
  };
}

/** For what has changed who has read what. */
export async function refreshAlerts(queryClient: QueryClient, workspace: string): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: countUnreadAlertsQueryKey({ path: { workspace } }) }),
    queryClient.invalidateQueries({ queryKey: listAlertsInfiniteQueryKey(pageOf(workspace)) }),
  ]);
}
