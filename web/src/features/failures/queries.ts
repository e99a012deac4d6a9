import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { getFailureOptions, getSourceOptions, listSourcesOptions } from "@/api/@tanstack/react-query.gen";
import { listFailureGroups, listFailures } from "@/api/sdk.gen";
import { usePlace } from "@/lib/session";
import { useSteadyRows } from "@/lib/steady-rows";
import { type FailureFilter, type FailureStatus, filterOf } from "./filter";
import { toQuery } from "./filter-query";
import { groupsKey, root } from "./open-count";

const everyFewSeconds = 10_000;
const pageSize = 50;
// Asking for many pages again and again would be rude; whoever reads that far can press a key.
const mostPolled = 4;

interface Where {
  id: string;
  time_zone: string;
}

export function groupsQuery(workspace: Where, status: FailureStatus, filter: FailureFilter = {}) {
  const wanted = filterOf(filter);
  return {
    queryKey: groupsKey(workspace.id, status, wanted),
    queryFn: async ({ signal }: { signal: AbortSignal }) => {
      const query = { status, ...toQuery(wanted, workspace.time_zone, Date.now()) };
      const { data } = await listFailureGroups({
        path: { workspace: workspace.id },
        query,
        signal,
        throwOnError: true,
      });
      return data.items;
    },
    refetchInterval: everyFewSeconds,
    placeholderData: keepPreviousData,
  };
}

export function useFailures(status: FailureStatus, filter: FailureFilter) {
  const { workspace } = usePlace();
  const wanted = filterOf(filter);
  const queryKey = [...root(workspace.id), "rows", status, wanted];
  const list = useInfiniteQuery({
    queryKey,
    queryFn: async ({ pageParam, signal }) => {
      const query = {
        status,
        limit: pageSize,
        ...toQuery(wanted, workspace.time_zone, Date.now()),
        ...(pageParam && { cursor: pageParam }),
      };
      const { data } = await listFailures({
        path: { workspace: workspace.id },
        query,
        signal,
        throwOnError: true,
      });
      return data;
    },
    initialPageParam: "",
    getNextPageParam: (last) => last.next_cursor,
    refetchInterval: (query) => (query.state.data?.pages.length ?? 0) <= mostPolled && everyFewSeconds,
    placeholderData: keepPreviousData,
  });
  const { rows, ...live } = useSteadyRows({
    queryKey,
    data: list.data,
    rowsOf: ({ pages }) => pages.flatMap((page) => page.items),
    idOf: ({ id }) => id,
    whole: !list.hasNextPage,
  });
  return { ...list, failures: rows, live };
}

export function useFailure(failure: string) {
  const { workspace } = usePlace();
  const options = getFailureOptions({ path: { workspace: workspace.id, failure } });
  return useQuery({
    queryFn: options.queryFn,
    queryKey: [...root(workspace.id), "one", ...options.queryKey] as unknown as typeof options.queryKey,
  });
}

/** Asks again for everything that a retry or a dismissal may have changed. */
export function useReloadFailures(): () => Promise<void> {
  const queryClient = useQueryClient();
  const { workspace } = usePlace();
  return () => queryClient.invalidateQueries({ queryKey: root(workspace.id) });
}

/** The tables by slug; names change seldom. */
export function useTables(): (slug: string) => string {
  const { workspace } = usePlace();
  const { data } = useQuery({
    ...listSourcesOptions({ path: { workspace: workspace.id } }),
    staleTime: 60_000,
  });
  return (slug) => data?.items.find((one) => one.slug === slug)?.title ?? slug;
}

/** The columns of a table, to say what it takes. */
export function useColumns(slug: string | undefined) {
  const { workspace } = usePlace();
  const { data } = useQuery({
    ...getSourceOptions({ path: { workspace: workspace.id, slug: slug ?? "" } }),
    staleTime: 60_000,
    enabled: slug !== undefined,
  });
  return data?.columns ?? none;
}

const none: never[] = [];
