import { useMutation, useQueryClient } from "@tanstack/react-query";
import { listInboxInfiniteQueryKey, markInboxMutation } from "@/api/@tanstack/react-query.gen";
import { listInbox } from "@/api/sdk.gen";
import type { InboxItem } from "@/api/types.gen";
import { usePagedRows } from "@/lib/list-rows";
import { usePlace } from "@/lib/session";
import { toast } from "@/ui/toast";
import { refreshInbox } from "./count";
import type { InboxSearch, Kind } from "./search";

const refreshEvery = 30_000;

/** An item stays the same row when it gets news. */
export const keyOf = ({ kind, subject }: InboxItem) => `${kind} ${subject}`;

/** Whether a person can do away with it. Others stay for as long as they are so. */
export const canBeDone = ({ kind }: InboxItem) => kind === "mention" || kind === "sent_back";

export function useInbox({ kind, pages }: InboxSearch, want: (pages: number) => void) {
  const path = { workspace: usePlace().workspace.id };
  const wanted = { limit: 50, ...(kind && { kind }) };
  return usePagedRows({
    queryKey: listInboxInfiniteQueryKey({ path, query: wanted }),
    read: async (cursor, signal) => {
      const query = { ...wanted, ...(cursor && { cursor }) };
      return (await listInbox({ path, query, signal, throwOnError: true })).data;
    },
    idOf: keyOf,
    every: refreshEvery,
    pages,
    want,
  });
}

/** Marks one item, or all that came up to the newest one shown, as seen or done. */
export function useMark() {
  const { workspace } = usePlace();
  const queryClient = useQueryClient();
  const path = { workspace: workspace.id };
  const { mutate, isPending } = useMutation({
    ...markInboxMutation(),
    onError: (error) => toast.error(error, "Nothing was marked"),
    onSettled: () => refreshInbox(queryClient),
  });
  return {
    marking: isPending,
    mark: ({ kind, subject, at }: InboxItem, done = false) =>
      mutate({ path, body: { items: [{ kind, subject, at }], done } }),
    markAll: ({ at }: InboxItem, kind: Kind | undefined, done: boolean) =>
      mutate({ path, body: { up_to: at, done, ...(kind && { kind }) } }),
  };
}
