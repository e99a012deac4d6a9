import { useInfiniteQuery } from "@tanstack/react-query";
import {
  countPurchaseOrdersOptions,
  getPurchaseOrderInfiniteOptions,
  getPurchaseOrderQueryKey,
  listArrivalsQueryKey,
  listPurchaseOrdersInfiniteQueryKey,
} from "@/api/@tanstack/react-query.gen";
import { getPurchaseOrder, listArrivals, listPurchaseOrders } from "@/api/sdk.gen";
import type { Line, Moment } from "@/api/types.gen";
import { useAgentName, useMemberName } from "@/features/members/queries";
import { usePagedRows } from "@/lib/list-rows";
import { useNow } from "@/lib/live";
import { useReload } from "@/lib/reload";
import { usePlace } from "@/lib/session";
import { useSteadyRows } from "@/lib/steady-rows";
import { dayIn } from "@/lib/time";
import { isFlag, type OrdersSearch, type OrdersTab } from "./tabs";

/** The polling interval: other people work on the same orders. */
export const refreshEvery = 20_000;
/** Lists with more pages are refreshed only on request. */
const maxPolledPages = 4;

function filterOf(tab: OrdersTab | undefined) {
  if (isFlag(tab)) return { [tab]: true };
  return tab && { status: tab };
}

/** The matching orders, up to the given number of pages. */
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

/** An order and the requested number of its lines. */
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

/** Reads page after page until there are enough lines; `cut` means that there are more. */
async function upTo<P extends Part>(most: number, read: (cursor: string | undefined) => Promise<P>) {
  const items: Line[] = [];
  const pages: P[] = [];
  let cursor: string | undefined;
  do {
    const part = await read(cursor);
    pages.push(part);
    items.push(...part.items);
    cursor = part.next_cursor;
  } while (cursor && items.length < most);
  return { items, pages, cut: Boolean(cursor) };
}

/** The most lines that one call can change. */
const maxLines = 500;

/** The lines of an order: as many as can be approved at once, and a few more. */
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

/** The lines expected between two days or on no day, up to a limit; their suppliers, and what was last said. */
export function arrivalsQuery(
  workspace: string,
  days: { since?: string; until?: string; undated?: boolean },
) {
  const path = { workspace };
  return {
    queryKey: listArrivalsQueryKey({ path, query: days }),
    queryFn: async ({ signal }: { signal: AbortSignal }) => {
      const { items, pages, cut } = await upTo(maxArrivals, async (cursor) => {
        const query = { ...days, limit: pageSize, ...(cursor && { cursor }) };
        return (await listArrivals({ path, query, signal, throwOnError: true })).data;
      });
      const suppliers = pages.flatMap((page) => page.suppliers);
      return { items, suppliers, said: pages.flatMap((page) => page.said), cut };
    },
  };
}

/** Refetches everything about purchasing: one change affects orders, counts, lines and arrivals. */
const touched = new Set([
  "listPurchaseOrders",
  "countPurchaseOrders",
  "getPurchaseOrder",
  "reviewPurchaseOrder",
  "listPurchaseOrderSuppliers",
  "getPurchaseOrderLine",
  "getLineTimeline",
  "getOrderTimeline",
  "draftOrderMail",
  "listArrivals",
  "summarizeArrivals",
  "searchProducts",
  "getArticle",
  "getArticleActivity",
  "listRecommendations",
  "summarizeQueue",
  "countInbox",
  "listInbox",
]);

export function useReloadPurchasing(): () => Promise<void> {
  return useReload(touched);
}

export function useToday(): string {
  const { workspace } = usePlace();
  return dayIn(workspace.time_zone, new Date(useNow()));
}

/** Names people by id. */
export function useNames(): (id: string | undefined) => string {
  const { person } = usePlace();
  const nameOf = useMemberName("A former member");
  return (id) => {
    if (!id) return "Somebody";
    return id === person.id ? "You" : nameOf(id);
  };
}

/** Names who made a line, for use inside a sentence. */
export function useMakers(): (line: Pick<Line, "created_by_type" | "created_by_id">) => string {
  const nameOf = useNames();
  const agent = useAgentName();
  return ({ created_by_type: type, created_by_id: id }) => {
    if (type === "user") return nameOf(id).replace(/^You$/, "you");
    return type === "agent" ? agent(id, "an agent") : "an external system";
  };
}

/** Names an actor. */
export function useActors(): (by: Pick<Moment, "by_type" | "by_id">) => string {
  const nameOf = useNames();
  const agent = useAgentName();
  return ({ by_type, by_id }) => {
    switch (by_type) {
      case "user":
        return nameOf(by_id);
      case "agent":
        return agent(by_id);
      case "key":
        return "External system (API key)";
      case "sync":
        return "External system (sync)";
      case "system":
        return "Quayside";
      case "operator":
        return "The operator";
      default:
        return "External system";
    }
  };
}
