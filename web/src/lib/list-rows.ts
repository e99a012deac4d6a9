import {
  keepPreviousData,
  type QueryKey,
  type UseQueryResult,
  useInfiniteQuery,
} from "@tanstack/react-query";
import { useEffect } from "react";
import { useSteadyRows } from "./steady-rows";

/** The rows of a list, as much of it as is shown, and how fresh they are. */
export interface ListRows<T> {
  /** Absent until something is known. */
  rows: readonly T[] | undefined;
  /** They are the rows of the filter before, until the answer comes: to be seen, not acted on. */
  former: boolean;
  /** There is no row, and why. */
  error: unknown;
  refetch: () => unknown;
  /** What a note over the list tells: new rows, and polls that failed. */
  live: {
    of: {
      data: unknown;
      error: unknown;
      fetchStatus: string;
      dataUpdatedAt: number;
      refetch: () => unknown;
    };
    news?: number | undefined;
    showNews?: () => void;
  };
  /** Absent when all are there. */
  more?:
    | {
        load: () => void;
        loading: boolean;
        /** Reads on until so many rows are there, or all. */
        upTo: (most: number) => Promise<readonly T[]>;
      }
    | undefined;
}

interface Page<T> {
  items: T[];
  next_cursor?: string;
}

interface Paged<T> {
  queryKey: QueryKey;
  read: (cursor: string | undefined, signal: AbortSignal) => Promise<Page<T>>;
  idOf: (row: T) => string;
  /** Looks again so often, in milliseconds, while somebody watches. Absent: only when asked. */
  every?: number | ((rows: readonly T[]) => number) | undefined;
  enabled?: boolean;
  /** How many pages are wanted, as the address says, and how to want another number. */
  pages?: number | undefined;
  want?: (pages: number) => void;
}

/** Asking for many pages again and again would be rude; whoever reads that far can press a key. */
const mostPolled = 4;

const rowsOf = <T>({ pages }: { pages: Page<T>[] }) => pages.flatMap((page) => page.items);

/** The rows of a list that the service gives out page by page. */
export function usePagedRows<T>(options: Paged<T>): ListRows<T> {
  const { queryKey, read, idOf, every, enabled = true, pages = 1, want } = options;
  const list = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => read(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next_cursor,
    refetchInterval: ({ state: { data } }) => {
      if (every === undefined || (data?.pages.length ?? 0) > mostPolled) return false;
      return typeof every === "number" ? every : every(data ? rowsOf(data) : []);
    },
    // The page must not jump while another filter is looked up.
    placeholderData: keepPreviousData,
    enabled,
  });
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetching, isPlaceholderData } = list;
  const shown = data?.pages.length ?? 0;
  const wanting = !isPlaceholderData && !isFetching && !error && shown > 0 && shown < pages;
  useEffect(() => {
    if (wanting && hasNextPage) void fetchNextPage();
  }, [wanting, hasNextPage, fetchNextPage]);
  const { rows, news, showNews } = useSteadyRows({ queryKey, data, rowsOf, idOf, whole: !hasNextPage });
  async function upTo(most: number): Promise<readonly T[]> {
    let now = { data, hasNextPage };
    while (now.hasNextPage && now.data && rowsOf(now.data).length < most)
      now = await fetchNextPage({ throwOnError: true });
    return now.data ? rowsOf(now.data).slice(0, most) : [];
  }
  return {
    rows,
    former: isPlaceholderData,
    error,
    refetch,
    live: { of: list, news, showNews },
    more: hasNextPage
      ? {
          load: () => (want && !error ? want(shown + 1) : void fetchNextPage()),
          loading: list.isFetchingNextPage,
          upTo,
        }
      : undefined,
  };
}

interface Whole<D, T> {
  queryKey: QueryKey;
  rowsOf: (data: D) => readonly T[];
  idOf: (row: T) => string;
}

/** The rows of a list that one answer holds. */
export function useWholeRows<D, T>(
  list: UseQueryResult<D, unknown>,
  { queryKey, rowsOf, idOf }: Whole<D, T>,
): ListRows<T> {
  const { rows, news, showNews } = useSteadyRows({ queryKey, data: list.data, rowsOf, idOf });
  return {
    rows,
    former: list.isPlaceholderData,
    error: list.error,
    refetch: list.refetch,
    live: { of: list, news, showNews },
  };
}
