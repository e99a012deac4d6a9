import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { getFailureOptions, getSourceOptions, listSourcesOptions } from "@/api/@tanstack/react-query.gen";
import { listFailureGroups, listFailures } from "@/api/sdk.gen";
import { usePagedRows } from "@/lib/list-rows";
import { usePlace } from "@/lib/session";
import { type FailureFilter, type FailureSearch, type FailureStatus, filterOf } from "./filter";
import { toQuery } from "./filter-query";
import { groupsKey, root } from "./open-count";

const everyFewSeconds = 10_000;
const pageSize = 50;

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

export function useFailures(
  status: FailureStatus,
  { pages, ...filter }: FailureSearch,
  want: (pages: number) => void,
) {
  const { workspace } = usePlace();
  const wanted = filterOf(filter);
  const path = { workspace: workspace.id };
  return usePagedRows({
    queryKey: [...root(workspace.id), "rows", status, wanted],
    read: async (cursor, signal) => {
      const when = toQuery(wanted, workspace.time_zone, Date.now());
      const query = { status, limit: pageSize, ...when, ...(cursor && { cursor }) };
      return (await listFailures({ path, query, signal, throwOnError: true })).data;
    },
    idOf: ({ id }) => id,
    every: everyFewSeconds,
    pages,
    want,
  });
}

export function useFailure(failure: string) {
  const { workspace } = usePlace();
  const options = getFailureOptions({ path: { workspace: workspace.id, failure } });
  return useQuery({
    queryFn: options.queryFn,
    queryKey: [...root(workspace.id), "one", ...options.queryKey] as unknown as typeof options.queryKey,
  });
}

/** Refetches everything that a retry or a dismissal may have changed. */
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

/** The columns of a table, to say what they accept. */
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
