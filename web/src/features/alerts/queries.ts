import type { QueryClient } from "@tanstack/react-query";
import { listAlertsInfiniteOptions, listAlertsInfiniteQueryKey } from "@/api/@tanstack/react-query.gen";
import { refreshInbox } from "@/features/inbox/count";

const pageOf = (workspace: string) => ({ path: { workspace }, query: { limit: 20 } });

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
    refreshInbox(queryClient),
    queryClient.invalidateQueries({ queryKey: listAlertsInfiniteQueryKey(pageOf(workspace)) }),
  ]);
}
