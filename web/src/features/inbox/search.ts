import type { InboxItem } from "@/api/types.gen";
import { readPages } from "@/lib/pages";

export type Kind = InboxItem["kind"];

export const kinds = ["approval", "sent_back", "mention", "alert"] as const satisfies readonly Kind[];

/** The filter, as the address holds it. */
export interface InboxSearch {
  kind?: Kind | undefined;
  /** How many pages of the list are shown. */
  pages?: number | undefined;
}

/** Reads search parameters; drops values that are not valid. */
export function readInboxSearch({ kind, pages }: Record<string, unknown>): InboxSearch {
  return { ...(kinds.includes(kind as Kind) && { kind: kind as Kind }), ...readPages(pages) };
}
