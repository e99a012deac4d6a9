import { useQuery } from "@tanstack/react-query";
import {
  getArticleActivityOptions,
  getArticleOptions,
  listRowsOptions,
} from "@/api/@tanstack/react-query.gen";
import { refreshEvery } from "@/features/subject/record";
import { usePlace } from "@/lib/session";

const usePath = (article: string) => ({ workspace: usePlace().workspace.id, article });

export function useArticle(record: string) {
  const path = usePath(record);
  return useQuery({ ...getArticleOptions({ path }), refetchInterval: refreshEvery });
}

export function useActivity(record: string) {
  const path = usePath(record);
  return useQuery({ ...getArticleActivityOptions({ path }), refetchInterval: 3 * refreshEvery });
}

/** The newest weeks of the article's sales: a year, and the running one. */
export function useWeeks(record: string) {
  const { workspace } = usePath(record);
  return useQuery({
    ...listRowsOptions({
      path: { workspace, table: "weekly_sales" },
      query: {
        product: record,
        select_fields: ["week_start", "units_net", "in_stock_days", "is_complete"],
        sort_by: "week_start",
        sort_desc: true,
        limit: 53,
      },
    }),
    refetchInterval: refreshEvery,
  });
}

/** The articles of a family that sold most in the last twelve weeks. */
export function useFamily(family: string) {
  const { workspace } = usePath(family);
  return useQuery({
    ...listRowsOptions({
      path: { workspace, table: "product_demand" },
      query: {
        filters: JSON.stringify({ family }),
        select_fields: ["product_id", "name", "sku", "units_84", "demand_per_day", "trend_pct"],
        sort_by: "units_84",
        sort_desc: true,
        limit: 8,
      },
    }),
    enabled: family !== "",
  });
}
