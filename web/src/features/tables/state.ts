import type { Definition } from "@/api/types.gen";

/** How a filter compares; the names are the service's. */
export const operators = ["eq", "ne", "in", "gt", "gte", "lt", "lte", "contains", "empty"] as const;
export type Operator = (typeof operators)[number];

export type Conditions = Partial<Record<Operator, unknown>>;

/** Fields to what is asked of them; all must hold. */
export type Filters = Record<string, Conditions>;

/** What of a table is shown, and in which order. */
export interface TableState {
  filters: Filters;
  /** What numbers, codes or names begin with. */
  search?: string;
  sort?: { by: string; desc: boolean };
  /** In their order; without it the table's own choice. */
  columns?: string[];
  /** Of columns, in pixels, where they were changed. */
  widths?: Record<string, number>;
}

/** The state as the address has it. */
export interface TableSearch {
  filters?: Filters;
  /** What is searched for. */
  q?: string;
  /** A field, with a minus in front for the largest first. */
  sort?: string;
  /** Fields, separated by commas. */
  columns?: string;
  /** The saved view that this began with. */
  view?: string;
  /** The record that lies open. */
  record?: string;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Every way in which a filter may be written, in one: operators to values. */
export function readFilters(value: unknown): Filters {
  const filters: Filters = {};
  if (!isObject(value)) return filters;
  for (const [field, asked] of Object.entries(value)) {
    if (asked === null) filters[field] = { empty: true };
    else if (Array.isArray(asked)) filters[field] = { in: asked };
    else if (!isObject(asked)) filters[field] = { eq: asked };
    else {
      const known = operators.filter((operator) => operator in asked);
      if (known.length > 0)
        filters[field] = Object.fromEntries(known.map((operator) => [operator, asked[operator]]));
    }
  }
  return filters;
}

/** Reads an address; what it cannot mean is left out. */
export function readSearch(search: Record<string, unknown>): TableSearch {
  const read: TableSearch = {};
  if (isObject(search.filters)) read.filters = readFilters(search.filters);
  for (const name of ["q", "sort", "columns", "view", "record"] as const) {
    const value = search[name];
    if (typeof value === "string" && (value !== "" || name === "columns")) read[name] = value;
  }
  return read;
}

/** What is shown: what the address says, or else what its saved view says. A search goes with either. */
export function toState(search: TableSearch, view?: Definition): TableState {
  const own = search.filters ?? search.sort ?? search.columns;
  const found = search.q ? { search: search.q } : {};
  if (own === undefined && view) {
    const state: TableState = { filters: readFilters(view.filters), ...found };
    if (view.sort_by) state.sort = { by: view.sort_by, desc: view.sort_desc ?? false };
    if (view.select_fields?.length) state.columns = view.select_fields;
    return state;
  }
  const state: TableState = { filters: search.filters ?? {}, ...found };
  if (search.sort) state.sort = { by: search.sort.replace(/^-/, ""), desc: search.sort.startsWith("-") };
  if (search.columns) state.columns = search.columns.split(",").filter(Boolean);
  return state;
}

/**
 * The address of a state. One that began with a view says its filters even if there are
 * none: without them it would be the view again.
 */
export function toSearch(state: TableState, view?: string): TableSearch {
  const search: TableSearch = {};
  if (view || Object.keys(state.filters).length > 0) search.filters = state.filters;
  if (state.search) search.q = state.search;
  if (state.sort) search.sort = (state.sort.desc ? "-" : "") + state.sort.by;
  if (state.columns) search.columns = state.columns.join(",");
  if (view) search.view = view;
  return search;
}

export function toDefinition({ filters, sort, columns, widths }: TableState): Definition {
  return {
    ...(Object.keys(filters).length > 0 && { filters }),
    ...(columns && { select_fields: columns }),
    ...(sort && { sort_by: sort.by, sort_desc: sort.desc }),
    ...(widths && Object.keys(widths).length > 0 && { widths }),
  };
}

/** The rows that a state means, in the words of the API. */
export function toQuery({ filters, search, sort }: TableState, fields: string[]) {
  return {
    ...(Object.keys(filters).length > 0 && { filters: JSON.stringify(filters) }),
    ...(search && { search }),
    ...(sort && { sort_by: sort.by, sort_desc: sort.desc }),
    select_fields: fields,
  };
}

/** One click more on a header: rising, falling, as it was. */
export function nextSort(sort: TableState["sort"], by: string): TableState["sort"] {
  if (sort?.by !== by) return { by, desc: false };
  return sort.desc ? undefined : { by, desc: true };
}
