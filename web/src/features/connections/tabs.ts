/**
 * The parts of a connection's page; the address names the one that is shown. A further part is a name here and a panel
 * in connection.tsx.
 */
export const connectionTabs = ["overview", "orders", "conflicts", "map", "dry-run"] as const;

export type ConnectionTab = (typeof connectionTabs)[number];

export function isConnectionTab(value: unknown): value is ConnectionTab {
  return connectionTabs.some((tab) => tab === value);
}

export const kinds = ["supplier", "article", "location"] as const;

export type Kind = (typeof kinds)[number];

export interface ConnectionSearch {
  tab?: ConnectionTab;
  /** Of the map. */
  kind?: Kind;
  unmapped?: boolean;
  q?: string;
  /** Of the orders: see isOrderState, which every page would load if the address were checked here. */
  state?: string;
}

export function readConnectionSearch(search: Record<string, unknown>): ConnectionSearch {
  const { tab, kind, unmapped, q, state } = search;
  const known = kinds.find((one) => one === kind);
  return {
    ...(isConnectionTab(tab) && tab !== "overview" && { tab }),
    ...(known && known !== "supplier" && { kind: known }),
    ...(unmapped === true && { unmapped }),
    ...(typeof q === "string" && q !== "" && { q }),
    ...(typeof state === "string" && { state }),
  };
}
