/** The parts of the playbook; the address names the one that is shown. */
export type PlaybookTab = "config" | "strategies" | "sops";

/** Reads search parameters; drops a tab that does not exist. */
export function readPlaybook(search: Record<string, unknown>): { tab?: PlaybookTab } {
  return search.tab === "strategies" || search.tab === "sops" ? { tab: search.tab } : {};
}
