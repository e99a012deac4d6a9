/** The parts of a table's page; the address names the one that is shown. */
export const sourceTabs = ["connect", "columns", "try", "templates"] as const;

export type SourceTab = (typeof sourceTabs)[number];

export function isSourceTab(value: unknown): value is SourceTab {
  return sourceTabs.some((tab) => tab === value);
}
