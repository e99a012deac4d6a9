import { listRecommendationsInfiniteQueryKey, summarizeQueueOptions } from "@/api/@tanstack/react-query.gen";
import { listRecommendations } from "@/api/sdk.gen";
import type { Recommendation } from "@/api/types.gen";
import { usePagedRows } from "@/lib/list-rows";
import { useReload } from "@/lib/reload";
import { usePlace } from "@/lib/session";
import type { QueueSearch } from "./search";

/**
 * The polling interval. After a decision its row is computed at once, unless another computation
 * runs: then within seconds, and the row must not stay in sight for longer.
 */
const refreshEvery = 5_000;

export const idOf = (row: Recommendation) => row.product_id;

/** Blocks of suppliers need many rows, as only loaded rows are in them. */
const groupedPages = 4;

/** The matching rows, the most urgent first. */
export function useQueue(search: QueueSearch, want: (pages: number) => void) {
  const path = { workspace: usePlace().workspace.id };
  const { tab = "order", supplier, text, grouped, pages = 1 } = search;
  const wanted = {
    group: tab,
    limit: grouped ? 200 : 50,
    ...(supplier && { supplier }),
    ...(text && { text }),
  };
  return usePagedRows({
    queryKey: listRecommendationsInfiniteQueryKey({ path, query: wanted }),
    read: async (cursor, signal) => {
      const query = { ...wanted, ...(cursor && { cursor }) };
      return (await listRecommendations({ path, query, signal, throwOnError: true })).data;
    },
    idOf,
    every: refreshEvery,
    pages: grouped ? Math.max(pages, groupedPages) : pages,
    want,
  });
}

export function summaryQuery(workspace: string) {
  return { ...summarizeQueueOptions({ path: { workspace } }), refetchInterval: refreshEvery };
}

/** A decision about a row changes the queue, and may make an order. */
const touched = new Set([
  "listRecommendations",
  "summarizeQueue",
  "explainRecommendation",
  "listPurchaseOrders",
  "countPurchaseOrders",
  "getPurchaseOrder",
  "getArticle",
]);

export function useReloadQueue(): () => Promise<void> {
  return useReload(touched);
}
