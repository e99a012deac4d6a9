import { type QueryKey, useQuery, useQueryClient } from "@tanstack/react-query";
import {
  getPlaybookConfigOptions,
  getPlaybookConfigQueryKey,
  listPlaybookConfigVersionsQueryKey,
  listSopsOptions,
  listSopsQueryKey,
  listStrategiesOptions,
  listStrategiesQueryKey,
} from "@/api/@tanstack/react-query.gen";
import type { Sop, Strategy } from "@/api/types.gen";
import { type ListRows, useWholeRows } from "@/lib/list-rows";
import { usePlace } from "@/lib/session";

const rowsOf = <T>({ items }: { items: T[] }) => items;
const idOf = ({ id }: { id: string }) => id;

export function useConfig() {
  const path = { workspace: usePlace().workspace.id };
  return useQuery(getPlaybookConfigOptions({ path }));
}

export function useStrategies(): ListRows<Strategy> {
  const path = { workspace: usePlace().workspace.id };
  const queryKey = listStrategiesQueryKey({ path });
  return useWholeRows(useQuery(listStrategiesOptions({ path })), { queryKey, rowsOf, idOf });
}

export function useSops(): ListRows<Sop> {
  const path = { workspace: usePlace().workspace.id };
  const queryKey = listSopsQueryKey({ path });
  return useWholeRows(useQuery(listSopsOptions({ path })), { queryKey, rowsOf, idOf });
}

/** Refetches the config, its versions, the lists of documents, and the versions of one of them. */
export function useReloadPlaybook(): (versions?: QueryKey) => Promise<void> {
  const queryClient = useQueryClient();
  const path = { workspace: usePlace().workspace.id };
  return async (versions) => {
    const keys: QueryKey[] = [
      getPlaybookConfigQueryKey({ path }),
      listPlaybookConfigVersionsQueryKey({ path }),
      listStrategiesQueryKey({ path }),
      listSopsQueryKey({ path }),
      ...(versions ? [versions] : []),
    ];
    await Promise.all(keys.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
  };
}
