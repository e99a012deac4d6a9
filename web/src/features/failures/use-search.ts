import { useNavigate, useSearch } from "@tanstack/react-router";
import { usePlace } from "@/lib/session";
import type { FailureSearch } from "./filter";

export const views = { groups: "/w/$workspace/failures", rows: "/w/$workspace/failures/rows" } as const;
export type View = keyof typeof views;

/** The search parameters of a list, and a function to change them. */
export function useFailureSearch(view: View) {
  const { workspace } = usePlace();
  const search: FailureSearch = useSearch({ from: `/inside${views[view]}` });
  const navigate = useNavigate();
  const go = (next: FailureSearch, options: { view?: View; replace?: boolean } = {}) =>
    void navigate({
      to: views[options.view ?? view],
      params: { workspace: workspace.id },
      search: next,
      replace: options.replace ?? false,
      // Opening a row beside the list must not move the list.
      resetScroll: (options.view ?? view) !== view,
    });
  return { search, status: search.status ?? "open", go } as const;
}
