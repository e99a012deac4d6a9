/**
 * Ranks a label against what was typed: every word of the query must begin a word of the
 * text, or the letters must appear in order. Lower is better; null is no match.
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
