import { useMutation, useQueryClient } from "@tanstack/react-query";
import {
  getConnectionOptions,
  listConnectionsQueryKey,
  listExchangeCatalogueOptions,
} from "@/api/@tanstack/react-query.gen";
import type { Connection } from "@/api/types.gen";
import { usePlace } from "@/lib/session";

/** A connection's page looks again so often: a sync may pause it. */
export const refreshEvery = 10_000;

/** Keeps a connection that a call returned, wherever it is shown. */
export function useKeep(): (connection: Connection) => void {
  const { workspace } = usePlace();
  const client = useQueryClient();
  return (connection) => {
    const path = { workspace: workspace.id, connection: connection.id };
    client.setQueryData(getConnectionOptions({ path }).queryKey, connection);
    void client.invalidateQueries({
      queryKey: listConnectionsQueryKey({ path: { workspace: workspace.id } }),
    });
  };
}

/** A call that changes one connection and returns it. */
export function useConnectionCall<V>(call: (values: V) => Promise<{ data: Connection }>) {
  const keep = useKeep();
  return useMutation({ mutationFn: async (values: V) => (await call(values)).data, onSuccess: keep });
}

/** The draft of a connection's settings. */
export const settingsOf = (connection: string) => `connection/${connection}`;

/** The other system's locations, once a test has passed. */
export function locationsOf(workspace: string, { id, test }: Connection) {
  return {
    ...listExchangeCatalogueOptions({ path: { workspace, connection: id }, query: { kind: "location" } }),
    enabled: test?.passed === true,
    staleTime: 300_000,
    retry: false,
  };
}
