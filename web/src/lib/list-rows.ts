import {
  keepPreviousData,
  type QueryKey,
  type UseQueryResult,
  useInfiniteQuery,
} from "@tanstack/react-query";
import { useEffect } from "react";
import { useSteadyRows } from "./steady-rows";

/** The loaded rows of a list, and how fresh they are. */
export interface ListRows<T> {
  /** Absent until the first answer. */
  rows: readonly T[] | undefined;
  /** The rows of a file, where the list shows fewer. */
  unfolded?: readonly T[] | undefined;
  /** The rows are those of the previous filter until the answer arrives: visible, but not usable. */
  previous: boolean;
  /** Why there are no rows. */
  error: unknown;
  refetch: () => unknown;
  /** For the note above the list: new rows and failed polls. */
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
  /** Absent when all rows are loaded. */
  more?:
    | {
        load: () => void;
        loading: boolean;
        /** Loads further pages until `most` rows are loaded, or all. */
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
  /** The polling interval in milliseconds. Absent: no polling. */
  every?: number | ((rows: readonly T[]) => number) | undefined;
  enabled?: boolean;
  /** How many pages to show, from the address, and how to change that number. */
  pages?: number | undefined;
  want?: (pages: number) => void;
}

/** Lists with more pages are not polled, to spare the service; a person can refresh them by hand. */
const maxPolledPages = 4;

const rowsOf = <T>({ pages }: { pages: Page<T>[] }) => pages.flatMap((page) => page.items);

/** When to poll a list next: in milliseconds, or never. */
export function pollAfter<T>(
  data: { pages: Page<T>[] } | undefined,
  every: Paged<T>["every"],
): number | false {
  if (every === undefined || (data?.pages.length ?? 0) > maxPolledPages) return false;
  return typeof every === "number" ? every : every(data ? rowsOf(data) : []);
}

interface Loaded<T> {
  data: { pages: Page<T>[] } | undefined;
  hasNextPage: boolean;
}

/** Loads page after page until there are `most` rows, or all. */
export async function loadUpTo<T>(
  most: number,
  loaded: Loaded<T>,
  loadNext: () => Promise<Loaded<T>>,
): Promise<readonly T[]> {
  let now = loaded;
  while (now.hasNextPage && now.data && rowsOf(now.data).length < most) now = await loadNext();
  return now.data ? rowsOf(now.data).slice(0, most) : [];
}

/** The rows of a list that the service returns page by page. */
export function usePagedRows<T>(options: Paged<T>): ListRows<T> {
  const { queryKey, read, idOf, every, enabled = true, pages = 1, want } = options;
  const list = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => read(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next_cursor,
    refetchInterval: ({ state }) => pollAfter(state.data, every),
    // The old rows stay while another filter loads, so that the page does not jump.
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
  const upTo = (most: number) =>
    loadUpTo(most, { data, hasNextPage }, () => fetchNextPage({ throwOnError: true }));
  return {
    rows,
    previous: isPlaceholderData,
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

/** The rows of a list that comes in a single answer. */
export function useWholeRows<D, T>(
  list: UseQueryResult<D, unknown>,
  { queryKey, rowsOf, idOf }: Whole<D, T>,
): ListRows<T> {
  const { rows, news, showNews } = useSteadyRows({ queryKey, data: list.data, rowsOf, idOf });
  return {
    rows,
    previous: list.isPlaceholderData,
    error: list.error,
    refetch: list.refetch,
    live: { of: list, news, showNews },
  };
}
