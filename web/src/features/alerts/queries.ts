import type { QueryClient } from "@tanstack/react-query";
import {
  countUnreadAlertsOptions,
  countUnreadAlertsQueryKey,
  listAlertsInfiniteOptions,
  listAlertsInfiniteQueryKey,
} from "@/api/@tanstack/react-query.gen";

// The service checks its alert rules every half minute.
const refreshEvery = 30_000;

const pageOf = (workspace: string) => ({ path: { workspace }, query: { limit: 20 } });

export function unreadQuery(workspace: string) {
  return { ...countUnreadAlertsOptions({ path: { workspace } }), refetchInterval: refreshEvery };
}

/** Not polled, so that nothing moves in an open panel. */
export function alertsQuery(workspace: string) {
  return {
    ...listAlertsInfiniteOptions(pageOf(workspace)),
    initialPageParam: { path: { workspace } },
    getNextPageParam: (last: { next_cursor?: string }) => last.next_cursor,
  };
}

/** Call after alerts were marked as read. */
export async function refreshAlerts(queryClient: QueryClient, workspace: string): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: countUnreadAlertsQueryKey({ path: { workspace } }) }),
    queryClient.invalidateQueries({ queryKey: listAlertsInfiniteQueryKey(pageOf(workspace)) }),
  ]);
}
