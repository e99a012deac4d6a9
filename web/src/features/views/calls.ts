import type { QueryKey } from "@tanstack/react-query";
import { listListViewsQueryKey, listViewsQueryKey } from "@/api/@tanstack/react-query.gen";
import {
  changeListView,
  changeView,
  createListView,
  createView,
  deleteListView,
  deleteView,
  listListViews,
  listViews,
} from "@/api/sdk.gen";
import type { ChangeViewRequest, CreateViewRequest, View, ViewList } from "@/api/types.gen";
import type { Target } from "./target";

/** The API calls about views, which are the same for tables and lists at two addresses. */
export interface ViewCalls {
  queryKey: QueryKey;
  list: (signal?: AbortSignal) => Promise<ViewList>;
  create: (body: CreateViewRequest) => Promise<View>;
  /** Changes a view only if its version is still the one that the person saw. */
  change: (seen: View, body: ChangeViewRequest) => Promise<View>;
  remove: (seen: View) => Promise<unknown>;
}

export function viewCalls(workspace: string, of: Target["of"]): ViewCalls {
  const throwOnError = true;
  const seenAs = ({ version }: View) => ({ "If-Match": `"${version}"` });
  if ("table" in of) {
    const path = { workspace, table: of.table };
    const one = (seen: View) => ({
      path: { ...path, view: seen.id },
      headers: seenAs(seen),
      throwOnError: true as const,
    });
    return {
      queryKey: listViewsQueryKey({ path }),
      list: async (signal) => (await listViews({ path, ...(signal && { signal }), throwOnError })).data,
      create: async (body) => (await createView({ path, body, throwOnError })).data,
      change: async (seen, body) => (await changeView({ ...one(seen), body })).data,
      remove: (seen) => deleteView(one(seen)),
    };
  }
  const path = { workspace, list: of.list };
  const one = (seen: View) => ({
    path: { ...path, view: seen.id },
    headers: seenAs(seen),
    throwOnError: true as const,
  });
  return {
    queryKey: listListViewsQueryKey({ path }),
    list: async (signal) => (await listListViews({ path, ...(signal && { signal }), throwOnError })).data,
    create: async (body) => (await createListView({ path, body, throwOnError })).data,
    change: async (seen, body) => (await changeListView({ ...one(seen), body })).data,
    remove: (seen) => deleteListView(one(seen)),
  };
}
