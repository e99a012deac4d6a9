import { type NavigateOptions, useSearch } from "@tanstack/react-router";
import type { Definition, Table, View } from "@/api/types.gen";
import { usePlace } from "@/lib/session";
import { type ListName, listLink, sameParameters, toParameters } from "./lists";

/** What a table tells about itself, so that views of it can be saved. */
export interface TableTarget {
  table: Table;
  /** What is shown now. */
  definition: Definition;
  /** It differs from what the view of the address says. */
  changed: boolean;
}

/** What views are of, and what of it is shown now. */
export interface Target {
  of: { table: string } | { list: ListName };
  /** What is chosen by choosing no view. */
  whole: string;
  /** What is saved, for the dialog. */
  about: string;
  definition: Definition;
  isChanged: (view: View) => boolean;
  /** Where a view leads, or everything. */
  link: (view?: View) => NavigateOptions;
}

export function useTarget(of: ListName | TableTarget): Target {
  const { workspace } = usePlace();
  const search: Record<string, unknown> = useSearch({ strict: false });
  if (typeof of === "string") {
    const parameters = toParameters(search);
    return {
      of: { list: of },
      whole: "The whole list",
      about: "The filter and the order of the list as they are now.",
      definition: { search: parameters },
      isChanged: (view) => !sameParameters(view.definition.search, parameters),
      link: (view) => listLink(workspace.id, of, view && { id: view.id, search: view.definition.search }),
    };
  }
  const { table, definition, changed } = of;
  return {
    of: { table: table.slug },
    whole: "The whole table",
    about: `The filters, the order and the columns of ${table.title} as they are now.`,
    definition,
    isChanged: () => changed,
    link: (view) => ({
      to: "/w/$workspace/tables/$slug",
      params: { workspace: workspace.id, slug: table.slug },
      search: view ? { view: view.id } : {},
    }),
  };
}
