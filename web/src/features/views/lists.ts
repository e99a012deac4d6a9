import { defaultParseSearch, defaultStringifySearch, type NavigateOptions } from "@tanstack/react-router";
import type { Hit, View } from "@/api/types.gen";

/** The lists that have views, by the service's names. */
export type ListName = NonNullable<Hit["list"]>;

const pages = {
  arrivals: "/w/$workspace/arrivals",
  audit: "/w/$workspace/audit",
  "failure-groups": "/w/$workspace/failures",
  failures: "/w/$workspace/failures/rows",
  imports: "/w/$workspace/imports",
  keys: "/w/$workspace/keys",
  "purchase-orders": "/w/$workspace/purchase-orders",
  tokens: "/w/$workspace/tokens",
} as const satisfies Record<ListName, string>;

/** Search parameters, as texts. */
export type Parameters = Record<string, string>;

/** The parameters that a view saves: not the number of pages, nor the open row. */
export function toParameters(search: Record<string, unknown>): Parameters {
  const { pages: _, open: __, view: ___, ...kept } = search;
  return Object.fromEntries(new URLSearchParams(defaultStringifySearch(kept)));
}

export function sameParameters(one: Parameters = {}, other: Parameters = {}): boolean {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}

/** The link to a view of a list, or to the whole list. The page validates the parameters. */
export function listLink(
  workspace: string,
  list: ListName,
  view?: Pick<View, "id"> & { search?: Parameters | undefined },
): NavigateOptions {
  const search = view && {
    ...defaultParseSearch(`?${new URLSearchParams(view.search)}`),
    view: view.id,
  };
  return { to: pages[list], params: { workspace }, search: search ?? {} };
}
