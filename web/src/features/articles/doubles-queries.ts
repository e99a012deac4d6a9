import { useQuery, useQueryClient } from "@tanstack/react-query";
import { listDoubles } from "@/api/sdk.gen";
import { usePagedRows } from "@/lib/list-rows";
import { usePlace } from "@/lib/session";

/** Articles that are stored twice, the first ones first. */
export function useDoubles() {
  const { workspace } = usePlace();
  const path = { workspace: workspace.id };
  return usePagedRows({
    queryKey: ["doubles", workspace.id],
    read: async (cursor, signal) => {
      const { data } = await listDoubles({ path, query: { cursor }, signal, throwOnError: true });
      return data;
    },
    idOf: ({ id }) => id,
  });
}

/** The articles with a SKU that are stored twice. */
export function useDoublesOf(sku: string | undefined) {
  const { workspace } = usePlace();
  const path = { workspace: workspace.id };
  const list = useQuery({
    queryKey: ["doubles", workspace.id, sku],
    queryFn: async ({ signal }) => {
      const { data } = await listDoubles({ path, query: { sku }, signal, throwOnError: true });
      return data.items;
    },
    enabled: sku !== undefined,
  });
  return list.data ?? [];
}

/** Refetches all that shows articles: two of them are one. */
export function useReloadArticles(): () => Promise<void> {
  const queryClient = useQueryClient();
  return () => queryClient.invalidateQueries();
}
