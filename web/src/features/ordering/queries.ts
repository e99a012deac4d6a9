import {
  getOrderSupplierOptions,
  listOrderableArticlesInfiniteQueryKey,
  listPurchaseOrdersOptions,
} from "@/api/@tanstack/react-query.gen";
import { listOrderableArticles } from "@/api/sdk.gen";
import type { OrderableArticle } from "@/api/types.gen";
import { usePagedRows } from "@/lib/list-rows";
import { usePlace } from "@/lib/session";

export const supplierQuery = (workspace: string, supplier: string) =>
  getOrderSupplierOptions({ path: { workspace, supplier } });

/** The newest orders of a supplier that are not done. */
export const openOrdersQuery = (workspace: string, supplier: string) =>
  listPurchaseOrdersOptions({ path: { workspace }, query: { open: true, supplier, limit: 6 } });

const pageSize = 100;

interface Wanted {
  supplier: string;
  text: string | undefined;
  pages: number | undefined;
}

/** The articles of a supplier, what the queue suggests first. They are not polled: somebody types in them. */
export function useArticles({ supplier, text, pages }: Wanted, want: (pages: number) => void) {
  const path = { workspace: usePlace().workspace.id, supplier };
  const wanted = { limit: pageSize, ...(text && { text }) };
  return usePagedRows({
    queryKey: listOrderableArticlesInfiniteQueryKey({ path, query: wanted }),
    read: async (cursor, signal) => {
      const query = { ...wanted, ...(cursor && { cursor }) };
      return (await listOrderableArticles({ path, query, signal, throwOnError: true })).data;
    },
    idOf: ({ product_id }) => product_id,
    pages,
    want,
  });
}

/** The most codes that one call takes, with room for long ones in its address. */
const maxCodes = 50;

/** The articles of a supplier with these SKUs, supplier's SKUs or ids. */
export async function findArticles(
  workspace: string,
  supplier: string,
  codes: readonly string[],
): Promise<OrderableArticle[]> {
  const found: OrderableArticle[] = [];
  for (let at = 0; at < codes.length; at += maxCodes) {
    const query = { code: codes.slice(at, at + maxCodes), limit: 200 };
    const { data } = await listOrderableArticles({
      path: { workspace, supplier },
      query,
      throwOnError: true,
    });
    found.push(...data.items);
  }
  return found;
}
