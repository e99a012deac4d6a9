/** The insights; the address names the one that is shown. */
export type InsightTab = "sales" | "seasons" | "families" | "demand" | "customers";

/** The statuses of customers that can be shown alone. */
export type CustomerStatus = "due" | "overdue" | "not_due" | "lapsed";

export interface InsightsSearch {
  tab?: InsightTab | undefined;
  /** The article of Sales and Demand. */
  product?: string | undefined;
  /** The day as of which figures are computed; absent means today. */
  as_of?: string | undefined;
  /** The text that articles are searched by. */
  text?: string | undefined;
  /** The customers that are listed; absent means those who are due or overdue. */
  status?: CustomerStatus | undefined;
}

const valid = {
  tab: /^(sales|seasons|families|demand|customers)$/,
  product: /^[0-9a-f-]{36}$/,
  as_of: /^\d{4}-\d\d-\d\d$/,
  text: /./,
  status: /^(due|overdue|not_due|lapsed)$/,
};

/** Reads search parameters; drops values that are not valid. The router parses digits as a number. */
export function readInsights(search: Record<string, unknown>): InsightsSearch {
  return Object.fromEntries(
    Object.entries(valid)
      .map(([name, form]) => [name, String(search[name] ?? ""), form] as const)
      .filter(([, value, form]) => form.test(value)),
  );
}
