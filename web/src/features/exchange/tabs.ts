/** The parts of the page about a connection's orders; the address names the one that is shown. */
const exchangeTabs = ["orders", "conflicts"] as const;

export type ExchangeTab = (typeof exchangeTabs)[number];

export function isExchangeTab(value: unknown): value is ExchangeTab {
  return exchangeTabs.some((tab) => tab === value);
}
