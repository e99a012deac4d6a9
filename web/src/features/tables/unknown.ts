import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
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

/** Whether a backfill has ended that was running, or not known, before. The first look tells nothing. */
export function hasEnded(before: Backfill[] | undefined, now: Backfill[]): boolean {
  const ended = before?.filter((one) => !isGoing(one)).map(({ id }) => id);
  return ended !== undefined && now.some((one) => !isGoing(one) && !ended.includes(one.id));
}

/**
 * The latest backfills of a table, polled often while one is running. When one has ended, the table's rows have values,
 * and those that were kept are gone.
 */
export function useBackfills(slug: string) {
  const { workspace, can } = usePlace();
  const client = useQueryClient();
  const before = useRef<Backfill[]>(undefined);
  const query = useQuery({
    ...listBackfillsOptions({ path: { workspace: workspace.id }, query: { table: slug, limit: 100 } }),
    enabled: can("define_tables"),
    refetchInterval: ({ state: { data } }) => (data?.items.some(isGoing) ? 1_000 : refreshEvery),
  });
  const items = query.data?.items;
  useEffect(() => {
    if (!items) return;
    if (hasEnded(before.current, items)) {
      void client.invalidateQueries({ queryKey: [{ _id: "listUnknownFields" }] });
      reloadRows(client, workspace.id, slug);
    }
    before.current = items;
  }, [items, client, workspace.id, slug]);
  return query;
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
  };
}
