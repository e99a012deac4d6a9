import { useQuery } from "@tanstack/react-query";
import { getSupplierActivityOptions, getSupplierOptions } from "@/api/@tanstack/react-query.gen";
import { listSupplierArticles, listSupplierOrders } from "@/api/sdk.gen";
import type { SupplierArticle, SupplierOrder } from "@/api/types.gen";
import { refreshEvery } from "@/features/subject/record";
import { usePagedRows } from "@/lib/list-rows";
import { usePlace } from "@/lib/session";

const usePath = (supplier: string) => ({ workspace: usePlace().workspace.id, supplier });

export function useSupplier(supplier: string) {
  const path = usePath(supplier);
  return useQuery({ ...getSupplierOptions({ path }), refetchInterval: refreshEvery });
}

export function useActivity(supplier: string) {
  const path = usePath(supplier);
  return useQuery({ ...getSupplierActivityOptions({ path }), refetchInterval: 3 * refreshEvery });
}

const page = (cursor: string | undefined) => ({ limit: 20, ...(cursor && { cursor }) });

export function useArticles(supplier: string) {
  const path = usePath(supplier);
  return usePagedRows<SupplierArticle>({
    queryKey: ["supplier-articles", path],
    read: async (cursor, signal) =>
      (await listSupplierArticles({ path, query: page(cursor), signal, throwOnError: true })).data,
    idOf: ({ id }) => id,
    every: 3 * refreshEvery,
  });
}

export function useOrders(supplier: string) {
  const path = usePath(supplier);
  return usePagedRows<SupplierOrder>({
    queryKey: ["supplier-orders", path],
    read: async (cursor, signal) =>
      (await listSupplierOrders({ path, query: page(cursor), signal, throwOnError: true })).data,
    idOf: ({ id }) => id,
  });
}
