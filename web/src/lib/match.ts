/**
 * Ranks a text against a query: every word of the query must begin a word of the text, or its
 * letters must appear in the text in order. Lower is better; null means no match.
 */
export function matchRank(text: string, query: string): number | null {
  const hay = text.toLowerCase();
  const needle = query.trim().toLowerCase();
  if (needle === "") return 0;
  if (hay.startsWith(needle)) return 1;
  const words = hay.split(/[\s/›-]+/);
  if (needle.split(/\s+/).every((part) => words.some((word) => word.startsWith(part)))) return 2;
  if (hay.includes(needle)) return 3;
  let from = 0;
  for (const letter of needle.replaceAll(" ", "")) {
    from = hay.indexOf(letter, from) + 1;
    if (from === 0) return null;
  }
  return 4 + from / 1000;
}

interface Entry {
  label: string;
  /** Synonyms that also match. */
  keywords?: string;
}

/** The entries that match a query, the best first, and divided: `close` ones begin with the query. */
export function searchEntries<E extends Entry>(
  entries: readonly E[],
  query: string,
): { close: E[]; loose: E[] } {
  const hits = entries
    .map((entry) => {
      const own = matchRank(entry.label, query);
      const other = entry.keywords ? matchRank(entry.keywords, query) : null;
      // A synonym is worse than any match of the label.
      return { entry, rank: own ?? (other === null ? null : other + 10) };
    })
    .filter((hit): hit is { entry: E; rank: number } => hit.rank !== null)
    .sort((a, b) => a.rank - b.rank);
  const isClose = ({ rank }: { rank: number }) => rank <= 1;
  return {
    close: hits.filter(isClose).map(({ entry }) => entry),
    loose: hits.filter((hit) => !isClose(hit)).map(({ entry }) => entry),
  };
}
