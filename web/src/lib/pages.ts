interface ListOf<T> {
  items: T[];
  next_cursor?: string;
}

/** Reads a list to its end, for lists that a screen shows or counts as a whole. */
export async function allPages<T>(
  read: (query: { limit: number; cursor?: string }) => Promise<{ data: ListOf<T> }>,
): Promise<{ items: T[] }> {
  const items: T[] = [];
  let cursor: string | undefined;
  do {
    const { data } = await read({ limit: 200, ...(cursor && { cursor }) });
    items.push(...data.items);
    cursor = data.next_cursor;
  } while (cursor);
  return { items };
}

/** An address restores at most this many pages. */
const maxPages = 20;

const id = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The saved view that an address started from. */
export function readView(view: unknown): { view?: string } {
  return typeof view === "string" && id.test(view) ? { view } : {};
}

/** The search parameters of a list with a live and an ended tab. */
export function readEnded(search: Record<string, unknown>): { ended?: boolean; view?: string } {
  return { ...(search.ended === true && { ended: true }), ...readView(search.view) };
}

/** How many pages of a list an address asks for; absent for one. */
export function readPages(pages: unknown): { pages?: number } {
  const wanted = Math.min(Number(pages), maxPages);
  return Number.isInteger(wanted) && wanted > 1 ? { pages: wanted } : {};
}
