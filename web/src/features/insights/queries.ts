import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { getFiguresOptions, listRowsOptions } from "@/api/@tanstack/react-query.gen";
import type { ListRowsData } from "@/api/types.gen";
import { usePlace } from "@/lib/session";
import { type InsightsSearch, readInsights } from "./tabs";

/** How often a figure that follows every sale is read. */
export const oftenMs = 10_000;
/** How often a figure is read that takes longer to compute and changes by the day. */
export const seldomMs = 60_000;

export type ViewQuery = NonNullable<ListRowsData["query"]>;

/** The rows of a table or computed view, read again by themselves. */
export function useRows(table: string, query: ViewQuery, every: number, enabled = true) {
  const { workspace } = usePlace();
  return useQuery({
    ...listRowsOptions({ path: { workspace: workspace.id, table }, query }),
    refetchInterval: every,
    placeholderData: keepPreviousData,
    enabled,
  });
}

/** How current the figures are, and what is missing in them. */
export function useFigures() {
  const { workspace } = usePlace();
  return useQuery({
    ...getFiguresOptions({ path: { workspace: workspace.id } }),
    refetchInterval: oftenMs,
  });
}

/** The address of the page, and how to change a part of it. */
export function useInsights(): [InsightsSearch, (part: InsightsSearch) => void] {
  const { workspace } = usePlace();
  const go = useNavigate();
  const search = readInsights({ ...useSearch({ from: "/inside/w/$workspace/insights" }) });
  const change = (part: InsightsSearch) =>
    void go({
      to: "/w/$workspace/insights",
      params: { workspace: workspace.id },
      search: { ...search, ...part },
      replace: true,
    });
  return [search, change];
}
