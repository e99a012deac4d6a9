import { type NavigateOptions, useSearch } from "@tanstack/react-router";
import type { Definition, Table, View } from "@/api/types.gen";
import { usePlace } from "@/lib/session";
import { type ListName, listLink, sameParameters, toParameters } from "./lists";

/** A table and its current state, for its views. */
export interface TableTarget {
  table: Table;
  /** The current state, as a view saves it. */
  definition: Definition;
  /** The state differs from the view that the address names. */
  changed: boolean;
}

/** The table or list that views belong to, and its current state. */
export interface Target {
  of: { table: string } | { list: ListName };
  /** The menu's entry for no view. */
  whole: string;
  /** Says what a view saves, for the dialog. */
  about: string;
  definition: Definition;
  isChanged: (view: View) => boolean;
  /** The link to a view, or to the whole table or list. */
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
