import type { Target } from "@/ui/chart";

// Where figures lead: to the rows that they were made from.

type Conditions = Record<string, unknown>;

interface Rows {
  filters?: Record<string, Conditions>;
  product?: string | undefined;
  as_of?: string | undefined;
}

/** Rows of a table or computed view. */
export function rowsOf(workspace: string, slug: string, search: Rows = {}): Target {
  return {
    to: "/w/$workspace/tables/$slug",
    params: { workspace, slug },
    search: search as Target["search"],
  };
}

/** The page of an article. */
export function articleOf(workspace: string, product: string): Target {
  return { to: "/w/$workspace/products/$record", params: { workspace, record: product } };
}
