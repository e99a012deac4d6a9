import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import {
  ignoreUnknownFieldMutation,
  keepUnknownValuesMutation,
  listBackfillsOptions,
  listUnknownFieldsOptions,
} from "@/api/@tanstack/react-query.gen";
import { cancelBackfill, startBackfill } from "@/api/sdk.gen";
import type { Backfill, UnknownField } from "@/api/types.gen";
import { usePlace } from "@/lib/session";
import { reloadRows } from "./queries";

const refreshEvery = 15_000;

/** The fields that arrive and are not stored. Only those who can make columns are told. */
export function useUnknownFields(slug: string) {
  const { workspace, can } = usePlace();
  return useQuery({
    ...listUnknownFieldsOptions({ path: { workspace: workspace.id, table: slug } }),
    enabled: can("define_tables"),
    refetchInterval: refreshEvery,
  });
}

export const isGoing = ({ status }: Backfill) => status === "queued" || status === "running";

/** The latest backfills of a table, polled often while one is running. */
export function useBackfills(slug: string) {
  const { workspace, can } = usePlace();
  return useQuery({
    ...listBackfillsOptions({ path: { workspace: workspace.id }, query: { table: slug, limit: 100 } }),
    enabled: can("define_tables"),
    refetchInterval: ({ state: { data } }) => (data?.items.some(isGoing) ? 1_000 : refreshEvery),
  });
}

/** What can be done about unknown fields of a table. */
export function useUnknownActions(slug: string) {
  const { workspace } = usePlace();
  const client = useQueryClient();
  const path = { workspace: workspace.id, table: slug };
  const reload = () =>
    Promise.all(
      ["listUnknownFields", "listBackfills"].map((_id) =>
        client.invalidateQueries({ queryKey: [{ _id }], refetchType: "all" }),
      ),
    );
  const onSuccess = () => reload();
  const ignore = useMutation({ ...ignoreUnknownFieldMutation(), onSuccess });
  const keep = useMutation({ ...keepUnknownValuesMutation(), onSuccess });
  const fill = useMutation({
    mutationFn: ({ field, column }: { field: string; column: string }) =>
      startBackfill({ path: { workspace: workspace.id }, body: { table: slug, field, column } }),
    onSettled: reload,
  });
  const cancel = useMutation({
    mutationFn: ({ id }: Backfill) => cancelBackfill({ path: { workspace: workspace.id, backfill: id } }),
    onSettled: reload,
  });
  return {
    ignore: {
      ...ignore,
      set: ({ name }: UnknownField, ignored: boolean) => ignore.mutate({ path, body: { name, ignored } }),
    },
    keep: { ...keep, set: (on: boolean) => keep.mutateAsync({ path, body: { keep: on } }) },
    fill,
    cancel,
    reloadRows: () => reloadRows(client, workspace.id, slug),
  };
}
