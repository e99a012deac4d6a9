import { readPages } from "@/lib/pages";

/** The state of a run's page, as the address holds it. */
export interface RunSearch {
  /** Absent: what the agent chose. */
  tab?: "left_out";
  pages?: number;
}

/** Reads search parameters; drops values that are not valid. */
export function readRunSearch({ tab, pages }: Record<string, unknown>): RunSearch {
  return { ...(tab === "left_out" && { tab }), ...readPages(pages) };
}
