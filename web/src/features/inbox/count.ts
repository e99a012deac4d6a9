import type { QueryClient } from "@tanstack/react-query";
import { countInboxQueryKey } from "@/api/@tanstack/react-query.gen";
import { countInbox } from "@/api/sdk.gen";
import type { InboxCount } from "@/api/types.gen";

// Separate from the page, because the frame of every page loads this file for its counts.

/** What the badges of the navigation and of the bell show, in one poll. */
export function inboxCountQuery(workspace: string) {
  const path = { workspace };
  return {
    queryKey: countInboxQueryKey({ path }),
    queryFn: async ({ signal }: { signal: AbortSignal }) =>
      (await countInbox({ path, signal, throwOnError: true })).data,
    refetchInterval: 30_000,
  };
}

export const countUnseen = (count: InboxCount | undefined) => count?.unseen;

const touched = new Set(["countInbox", "listInbox", "listAlerts"]);

/** Call after items were seen, or alerts read. */
export function refreshInbox(queryClient: QueryClient): Promise<void> {
  return queryClient.invalidateQueries({
    predicate: ({ queryKey: [first] }) =>
      typeof first === "object" && first !== null && "_id" in first && touched.has(String(first._id)),
  });
}
