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
