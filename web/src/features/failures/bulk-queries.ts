import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { cancelBulkRetry, countFailedValues, listBulkRetries, previewBulkRetry } from "@/api/sdk.gen";
import type { Bulk, Plan } from "@/api/types.gen";
import { type ListRows, useWholeRows } from "@/lib/list-rows";
import { usePlace } from "@/lib/session";
import { toast } from "@/ui/toast";
import { useReloadFailures } from "./queries";

export function isGoing(bulk: Bulk): boolean {
  return bulk.status === "queued" || bulk.status === "running";
}

const bulkKey = (workspace: string) => ["bulk retries", workspace];

/** The latest bulk retries, for a list. */
export function useBulkRetries(): ListRows<Bulk> {
  const queryKey = bulkKey(usePlace().workspace.id);
  return useWholeRows(useBulkQuery(), { queryKey, rowsOf: (bulks) => bulks, idOf: ({ id }) => id });
}

/** The latest bulk retries, polled often while one is running. */
export function useBulkQuery() {
  const { workspace } = usePlace();
  const reload = useReloadFailures();
  const queryKey = bulkKey(workspace.id);
  const list = useQuery({
    queryKey,
    queryFn: async ({ signal }) => {
      const path = { workspace: workspace.id };
      const { data } = await listBulkRetries({ path, query: { limit: 50 }, signal, throwOnError: true });
      return data.items;
    },
    refetchInterval: (query) => (query.state.data?.some(isGoing) ? 1_000 : 15_000),
  });
  // Stored records have left the lists of failed imports.
  const going = list.data?.filter(isGoing).length ?? 0;
  const before = useRef(going);
  useEffect(() => {
    if (going < before.current) void reload();
    before.current = going;
  }, [going, reload]);
  return list;
}

export function useReloadBulkRetries(): () => Promise<void> {
  const queryClient = useQueryClient();
  const { workspace } = usePlace();
  return () => queryClient.invalidateQueries({ queryKey: bulkKey(workspace.id) });
}

export function useCancel() {
  const { workspace } = usePlace();
  const reload = useReloadBulkRetries();
  return useMutation({
    mutationFn: (bulk: Bulk) =>
      cancelBulkRetry({ path: { workspace: workspace.id, bulk: bulk.id }, throwOnError: true }),
    onError: (error) => toast.error(error, "The bulk retry is still running"),
    onSettled: reload,
  });
}

/** The number of matching failed imports, and a dry run of a plan on the newest payloads. */
export function usePreview(plan: Plan, key: unknown, enabled: boolean) {
  const { workspace } = usePlace();
  return useQuery({
    queryKey: ["failures", workspace.id, "preview", key],
    queryFn: async ({ signal }) => {
      const path = { workspace: workspace.id };
      const { data } = await previewBulkRetry({ path, body: plan, signal, throwOnError: true });
      return data;
    },
    enabled,
    placeholderData: keepPreviousData,
    retry: false,
  });
}

/** What was sent in the field of a group of failed imports, and how often. */
export function useValues(filter: Plan["filter"], key: unknown, field: string | undefined) {
  const { workspace } = usePlace();
  return useQuery({
    queryKey: ["failures", workspace.id, "values", key],
    queryFn: async ({ signal }) => {
      const path = { workspace: workspace.id };
      const body = { filter, field: field ?? "" };
      const { data } = await countFailedValues({ path, body, signal, throwOnError: true });
      return data;
    },
    enabled: field !== undefined,
    retry: false,
  });
}
