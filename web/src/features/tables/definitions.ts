import { useQueryClient } from "@tanstack/react-query";
import { listTableDefinitionsOptions } from "@/api/@tanstack/react-query.gen";
import type { DefinedColumn, Table, TableDefinition } from "@/api/types.gen";

export function definitionsQuery(tenant: string) {
  return listTableDefinitionsOptions({ path: { tenant } });
}

export const inUse = (one: Pick<DefinedColumn, "retired_at">) => one.retired_at === undefined;

/** What the company has added to a built-in table before it has added anything. */
export function nothingAdded({ slug, title, description }: Table): TableDefinition {
  const never = "1970-01-01T00:00:00Z";
  return {
    slug,
    name: title,
    description,
    built_in: true,
    version: 0,
    columns: [],
    created_at: never,
    updated_at: never,
  };
}

/**
 * Reloads everything that shows which tables and columns there are, also what is not on screen: the grid would ask for
 * a column that was just retired.
 */
export function useReloadDefinitions(): () => Promise<unknown> {
  const client = useQueryClient();
  return () => {
    // Those that are not on screen are loaded when they are: a retired table could not be.
    client.removeQueries({ queryKey: [{ _id: "getTable" }], type: "inactive" });
    return Promise.all(
      ["listTableDefinitions", "listTables", "getTable", "listSources"].map((_id) =>
        client.invalidateQueries({ queryKey: [{ _id }], refetchType: "all" }),
      ),
    );
  };
}
