import { defaultParseSearch, defaultStringifySearch, type NavigateOptions } from "@tanstack/react-router";
import type { Hit, View } from "@/api/types.gen";

/** A list that has views; the names are the service's. */
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

/** The parameters of an address, as they stand in it. */
export type Parameters = Record<string, string>;

/** What of an address is worth saving. How much is shown, and what lies open, is of the moment. */
export function toParameters(search: Record<string, unknown>): Parameters {
  const { pages: _, open: __, view: ___, ...kept } = search;
  return Object.fromEntries(new URLSearchParams(defaultStringifySearch(kept)));
}

export function sameParameters(one: Parameters = {}, other: Parameters = {}): boolean {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}

/** Where a view of a list leads, or the list as a whole. The page judges what it finds there. */
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
