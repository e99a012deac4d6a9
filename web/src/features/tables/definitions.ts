import { useQueryClient } from "@tanstack/react-query";
import { listTableDefinitionsOptions } from "@/api/@tanstack/react-query.gen";
import type { DefinedColumn } from "@/api/types.gen";

export function definitionsQuery(tenant: string) {
  return listTableDefinitionsOptions({ path: { tenant } });
}

export const inUse = (one: Pick<DefinedColumn, "retired_at">) => one.retired_at === undefined;

/**
 * Reloads everything that shows which tables and columns there are, also what is not on screen: the grid would ask for
 * a column that was just retired.
 */
export function useReloadDefinitions(): () => Promise<unknown> {
  const client = useQueryClient();
  return () =>
    Promise.all(
      ["listTableDefinitions", "listTables", "listSources"].map((_id) =>
        client.invalidateQueries({ queryKey: [{ _id }], refetchType: "all" }),
      ),
    );
}
