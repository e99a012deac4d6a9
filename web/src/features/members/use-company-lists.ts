import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import {
  listInvitationsInfiniteOptions,
  listInvitationsQueryKey,
  listMembersInfiniteOptions,
  listMembersQueryKey,
} from "@/api/@tanstack/react-query.gen";
import { usePlace } from "@/lib/session";

// Most companies fit on one page; the rest is a button away.
const query = { limit: 100 };

export function useMembers() {
  const path = { tenant: usePlace().company.id };
  const list = useInfiniteQuery({
    ...listMembersInfiniteOptions({ path, query }),
    initialPageParam: { path },
    getNextPageParam: (last) => last.next_cursor,
  });
  return { ...list, members: list.data?.pages.flatMap((page) => page.items) };
}

export function useInvitations() {
  const path = { tenant: usePlace().company.id };
  const list = useInfiniteQuery({
    ...listInvitationsInfiniteOptions({ path, query }),
    initialPageParam: { path },
    getNextPageParam: (last) => last.next_cursor,
  });
  return { ...list, invitations: list.data?.pages.flatMap((page) => page.items) };
}

/** Both lists again: an accepted invitation leaves one and enters the other. */
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
