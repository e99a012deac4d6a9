import type { Definition } from "@/api/types.gen";

/** Filter operators, by the service's names. */
export const operators = ["eq", "ne", "in", "gt", "gte", "lt", "lte", "contains", "empty"] as const;
export type Operator = (typeof operators)[number];

export type Conditions = Partial<Record<Operator, unknown>>;

/** Conditions by field; all must hold. */
export type Filters = Record<string, Conditions>;

/** Which rows and columns of a table are shown, and in which order. */
export interface TableState {
  filters: Filters;
  /** The search text: numbers, codes or names begin with it. */
  search?: string;
  sort?: { by: string; desc: boolean };
  /** The columns in order; absent means the table's default. */
  columns?: string[];
  /** The widths of resized columns, in pixels. */
  widths?: Record<string, number>;
  /** Of a computed view: the day as of which it is computed; absent means today. */
  asOf?: string;
  /** Of a computed view: an article's id, or all. */
  product?: string;
}

/** The state as search parameters. */
export interface TableSearch {
  filters?: Filters;
  /** The search text. */
  q?: string;
  /** A field; a leading minus means descending. */
  sort?: string;
  /** Fields, separated by commas. */
  columns?: string;
  /** The day as of which a view is computed. */
  as_of?: string;
  /** The article that a view is computed for. */
  product?: string;
  /** The saved view that this state started from. */
  view?: string;
  /** The open record. */
  record?: string;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Normalises filters, which may be written in several ways, to values by operator. */
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

/** Reads search parameters; drops values that are not valid. */
export function readSearch(search: Record<string, unknown>): TableSearch {
  const read: TableSearch = {};
  if (isObject(search.filters)) read.filters = readFilters(search.filters);
  for (const name of ["q", "sort", "columns", "as_of", "product", "view", "record"] as const) {
    const value = search[name];
    if (typeof value === "string" && (value !== "" || name === "columns")) read[name] = value;
  }
  return read;
}

/** The part of an address that overrides its saved view, if there is any. */
export function ownState(search: TableSearch): unknown {
  return search.filters ?? search.sort ?? search.columns ?? search.as_of ?? search.product;
}

/** The state to show: that of the address, else that of its saved view. The search is added to either. */
export function toState(search: TableSearch, view?: Definition): TableState {
  const own = ownState(search);
  const found = search.q ? { search: search.q } : {};
  if (own === undefined && view) {
    const state: TableState = { filters: readFilters(view.filters), ...found };
    if (view.sort_by) state.sort = { by: view.sort_by, desc: view.sort_desc ?? false };
    if (view.select_fields?.length) state.columns = view.select_fields;
    if (view.as_of) state.asOf = view.as_of;
    if (view.product) state.product = view.product;
    return state;
  }
  const state: TableState = { filters: search.filters ?? {}, ...found };
  if (search.sort) state.sort = { by: search.sort.replace(/^-/, ""), desc: search.sort.startsWith("-") };
  if (search.columns) state.columns = search.columns.split(",").filter(Boolean);
  if (search.as_of) state.asOf = search.as_of;
  if (search.product) state.product = search.product;
  return state;
}

/**
 * The search parameters of a state. If it started from a view, they include the filters even if
 * there are none: without them the address would mean the view again.
 */
export function toSearch(state: TableState, view?: string): TableSearch {
  const search: TableSearch = {};
  if (view || Object.keys(state.filters).length > 0) search.filters = state.filters;
  if (state.search) search.q = state.search;
  if (state.sort) search.sort = (state.sort.desc ? "-" : "") + state.sort.by;
  if (state.columns) search.columns = state.columns.join(",");
  if (state.asOf) search.as_of = state.asOf;
  if (state.product) search.product = state.product;
  if (view) search.view = view;
  return search;
}

export function toDefinition({ filters, sort, columns, widths, asOf, product }: TableState): Definition {
  return {
    ...(Object.keys(filters).length > 0 && { filters }),
    ...(columns && { select_fields: columns }),
    ...(sort && { sort_by: sort.by, sort_desc: sort.desc }),
    ...(widths && Object.keys(widths).length > 0 && { widths }),
    ...computedFor({ asOf, product }),
  };
}

/** The API parameters for a state's rows. */
export function toQuery({ filters, search, sort, asOf, product }: TableState, fields: string[]) {
  return {
    ...(Object.keys(filters).length > 0 && { filters: JSON.stringify(filters) }),
    ...(search && { search }),
    ...(sort && { sort_by: sort.by, sort_desc: sort.desc }),
    select_fields: fields,
    ...computedFor({ asOf, product }),
  };
}

/** The API parameters of a computed view. */
export function computedFor({ asOf, product }: Pick<TableState, "asOf" | "product">) {
  return { ...(asOf && { as_of: asOf }), ...(product && { product }) };
}

/** The sort order after a click on a header: ascending, descending, then the default. */
export function nextSort(sort: TableState["sort"], by: string): TableState["sort"] {
  if (sort?.by !== by) return { by, desc: false };
  return sort.desc ? undefined : { by, desc: true };
}
