import { useMutation, useQueryClient } from "@tanstack/react-query";
import {
  cancelImportMutation,
  getImportOptions,
  getImportQueryKey,
  listImportsQueryKey,
} from "@/api/@tanstack/react-query.gen";
import { listImports } from "@/api/sdk.gen";
import type { Import } from "@/api/types.gen";
import { usePagedRows } from "@/lib/list-rows";
import { usePlace } from "@/lib/session";
import { dayIn } from "@/lib/time";

export function isGoing(one: Import): boolean {
  return one.status === "queued" || one.status === "running";
}

/** The imports of one table or of all, polled often while one is running. */
export function useImports(
  table: string | undefined,
  pages: number | undefined,
  want: (pages: number) => void,
) {
  const path = { workspace: usePlace().workspace.id };
  const wanted = table ? { table } : {};
  return usePagedRows({
    queryKey: [...listImportsQueryKey({ path }), wanted],
    read: async (cursor, signal) => {
      const query = { ...wanted, ...(cursor && { cursor }) };
      return (await listImports({ path, query, signal, throwOnError: true })).data;
    },
    idOf: ({ id }) => id,
    every: (rows) => (rows.some(isGoing) ? 2_000 : 15_000),
    pages,
    want,
  });
}

/** One import, polled often while it is running. */
export function importQuery(workspace: string, id: string) {
  return {
    ...getImportOptions({ path: { workspace, import: id } }),
    refetchInterval: (query: { state: { data?: Import | undefined } }) =>
      query.state.data && isGoing(query.state.data) ? 1_000 : (false as const),
  };
}

/** Replaces the cached import with a call's answer. */
export function useImportChanged(): (one: Import) => void {
  const queryClient = useQueryClient();
  const { workspace } = usePlace();
  return (one) => {
    queryClient.setQueryData(getImportQueryKey({ path: { workspace: workspace.id, import: one.id } }), one);
    void queryClient.invalidateQueries({
      queryKey: listImportsQueryKey({ path: { workspace: workspace.id } }),
    });
  };
}

/** Cancels an import, or discards its file. */
export function useCancelImport(id: string) {
  const { workspace } = usePlace();
  const changed = useImportChanged();
  const { mutateAsync, isPending } = useMutation({ ...cancelImportMutation(), onSuccess: changed });
  return {
    cancel: () => mutateAsync({ path: { workspace: workspace.id, import: id } }),
    cancelling: isPending,
  };
}

export function rejectsAddress(workspace: string, id: string): string {
  return `/api/app/workspaces/${workspace}/imports/${id}/rejects.ndjson`;
}

/** The address of an import's failed imports: those of its table since its day. */
export function failuresAddress(workspace: { id: string; time_zone: string }, one: Import): string {
  const since = dayIn(workspace.time_zone, new Date(one.started_at ?? one.created_at));
  return `/w/${workspace.id}/failures?${new URLSearchParams({ table: one.slug, since })}`;
}
