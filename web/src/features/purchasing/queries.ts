import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import {
  countPurchaseOrdersOptions,
  getPurchaseOrderInfiniteOptions,
  getPurchaseOrderQueryKey,
  listArrivalsQueryKey,
  listPurchaseOrdersInfiniteQueryKey,
} from "@/api/@tanstack/react-query.gen";
import { getPurchaseOrder, listArrivals, listPurchaseOrders } from "@/api/sdk.gen";
import type { Line, Moment } from "@/api/types.gen";
import { useMemberName } from "@/features/members/queries";
import { usePagedRows } from "@/lib/list-rows";
import { useNow } from "@/lib/live";
import { usePlace } from "@/lib/session";
import { useSteadyRows } from "@/lib/steady-rows";
import { dayIn } from "@/lib/time";
import type { OrdersSearch, OrdersTab } from "./tabs";

/** Others work on the same orders; what is open is looked at again while it is watched. */
const refreshEvery = 20_000;
/** Beyond so many pages the list is asked for again only on request. */
const maxPolledPages = 4;

function filterOf(tab: OrdersTab | undefined) {
  if (tab === "overdue") return { overdue: true };
  if (tab === "closed_short") return { closed_short: true };
  return tab && { status: tab };
}

/** Orders that match, as many pages of them as are wanted. */
export function useOrders(search: OrdersSearch, want: (pages: number) => void) {
  const path = { workspace: usePlace().workspace.id };
  const { tab, text, sort, pages } = search;
  const wanted = { limit: 50, ...(sort && { sort }), ...filterOf(tab), ...(text && { text }) };
  return usePagedRows({
    queryKey: listPurchaseOrdersInfiniteQueryKey({ path, query: wanted }),
    read: async (cursor, signal) => {
      const query = { ...wanted, ...(cursor && { cursor }) };
      return (await listPurchaseOrders({ path, query, signal, throwOnError: true })).data;
    },
    idOf: ({ order_no }) => order_no,
    every: refreshEvery,
    pages,
    want,
  });
}

export function countsQuery(workspace: string) {
  return { ...countPurchaseOrdersOptions({ path: { workspace } }), refetchInterval: refreshEvery };
}

/** An order and as many of its lines as were asked for. */
export function useOrder(order: string) {
  const path = { workspace: usePlace().workspace.id, order };
  const options = getPurchaseOrderInfiniteOptions({ path, query: { limit: pageSize } });
  const list = useInfiniteQuery({
    ...options,
    initialPageParam: { path },
    getNextPageParam: (last) => last.next_cursor,
    refetchInterval: ({ state }) => (state.data?.pages.length ?? 0) <= maxPolledPages && refreshEvery,
  });
  const { rows, ...live } = useSteadyRows({
    queryKey: options.queryKey,
    data: list.data,
    rowsOf: ({ pages }) => pages.flatMap((page) => page.items),
    idOf: ({ id }) => id,
    whole: !list.hasNextPage,
  });
  return { list, order: list.data?.pages.at(-1)?.order, lines: rows, live };
}

const pageSize = 200;

interface Part {
  items: Line[];
  next_cursor?: string;
}

/** Page after page, until there are enough; `cut` says that there are more. */
async function upTo(most: number, read: (cursor: string | undefined) => Promise<Part>) {
  const items: Line[] = [];
  let cursor: string | undefined;
  do {
    const part = await read(cursor);
    items.push(...part.items);
    cursor = part.next_cursor;
  } while (cursor && items.length < most);
  return { items, cut: Boolean(cursor) };
}

/** One call changes so many lines at most. */
const maxLines = 500;

/** The lines of an order, as many as can be approved at once and some more. */
export function wholeOrderQuery(workspace: string, order: string) {
  const path = { workspace, order };
  return {
    queryKey: [...getPurchaseOrderQueryKey({ path }), "whole"],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      upTo(maxLines + 1, async (cursor) => {
        const query = { limit: pageSize, ...(cursor && { cursor }) };
        return (await getPurchaseOrder({ path, query, signal, throwOnError: true })).data;
      }),
  };
}

const maxArrivals = 2000;

/** What should arrive between two days, the first of it when that is very much. */
export function arrivalsQuery(workspace: string, days: { since?: string; until: string }) {
  const path = { workspace };
  return {
    queryKey: listArrivalsQueryKey({ path, query: days }),
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      upTo(maxArrivals, async (cursor) => {
        const query = { ...days, limit: pageSize, ...(cursor && { cursor }) };
        return (await listArrivals({ path, query, signal, throwOnError: true })).data;
      }),
  };
}

/** Everything about purchasing again: one change moves orders, counts, lines and arrivals. */
const touched = new Set([
  "listPurchaseOrders",
  "countPurchaseOrders",
  "getPurchaseOrder",
  "listPurchaseOrderSuppliers",
  "getPurchaseOrderLine",
  "getLineTimeline",
  "listArrivals",
  "searchProducts",
]);

export function useReloadPurchasing(): () => Promise<void> {
  const queryClient = useQueryClient();
  return async () => {
    await queryClient.invalidateQueries({
      predicate: ({ queryKey }) => {
        const [first] = queryKey;
        return (
          typeof first === "object" && first !== null && "_id" in first && touched.has(String(first._id))
        );
      },
    });
  };
}

export function useToday(): string {
  const { workspace } = usePlace();
  return dayIn(workspace.time_zone, new Date(useNow()));
}

/** People by their names. */
export function useNames(): (id: string | undefined) => string {
  const { person } = usePlace();
  const nameOf = useMemberName("Somebody who is no member any more");
  return (id) => {
    if (!id) return "Somebody";
    return id === person.id ? "You" : nameOf(id);
  };
}

/** Who acted, in words. */
export function useActors(): (by: Pick<Moment, "by_type" | "by_id">) => string {
  const nameOf = useNames();
  return ({ by_type, by_id }) => {
    switch (by_type) {
      case "user":
        return nameOf(by_id);
      case "agent":
        return "An agent";
      case "key":
        return "External system (API key)";
      case "system":
        return "Quayside";
      case "operator":
        return "The operator";
      default:
        return "External system";
    }
  };
}
