// The scripts that a first visit to each page downloads, read from the build: the page's chunk, its
// imports, and the chunks that every page loads. Sizes are gzipped, in bytes.
import { readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

/** Budgets. Lists get a smaller one, because people open them all day. */
export const budgets = { list: 174 * 1024, page: 242 * 1024 };

/** The pages of lists, by their files in src/features. */
export const lists = [
  "orders",
  "to-order",
  "runs",
  "failures",
  "rows",
  "sources",
  "audit",
  "members",
  "keys",
  "tokens",
  "imports",
  "arrivals",
  "tables",
];

/** The chunks that a page always loads too, although it does not wait for them: its charts. */
const withCharts = { article: ["line-chart"] };

/** The page that a chunk belongs to: its name without the hash. */
export const nameOf = (chunk) => chunk.replace(/-[\w-]{8}\.js$/, "");

export const budgetOf = (chunk) => (lists.includes(nameOf(chunk)) ? budgets.list : budgets.page);

/** The size of the scripts that every page loads, and the size of a first visit by chunk. */
export function firstVisits(dir) {
  const html = readFileSync(new URL("index.html", dir), "utf8");
  const assets = new Map(
    readdirSync(new URL("assets/", dir))
      .filter((name) => name.endsWith(".js"))
      .map((name) => {
        const code = readFileSync(new URL(`assets/${name}`, dir), "utf8");
        const found = (pattern) => [...code.matchAll(pattern)].map((match) => match[1]);
        return [
          name,
          {
            size: gzipSync(code, { level: 9 }).length,
            needs: found(/(?:from|import)\s*["'`]\.\/([^"'`]+\.js)["'`]/g),
            opens: found(/import\(\s*["'`]\.\/([^"'`]+\.js)["'`]/g),
          },
        ];
      }),
  );

  function closure(names, all = new Set()) {
    for (const name of names) {
      if (!assets.has(name) || all.has(name)) continue;
      all.add(name);
      closure(assets.get(name).needs, all);
    }
    return all;
  }

  const chartsOf = (page) =>
    [...assets.keys()].filter((name) => withCharts[nameOf(page)]?.includes(nameOf(name)));
  const entry = [...html.matchAll(/(?:src|href)="\/assets\/([^"]+\.js)"/g)].map((match) => match[1]);
  const always = closure(entry);
  const theme = gzipSync(readFileSync(new URL("theme.js", dir)), { level: 9 }).length;
  const total = (names) => [...names].reduce((sum, name) => sum + assets.get(name).size, theme);
  const pages = new Map(
    [...always]
      .flatMap((name) => assets.get(name).opens)
      .filter((page) => assets.has(page))
      .map((page) => [page, total(closure([page, ...chartsOf(page)], new Set(always)))]),
  );
  const missing = lists.filter((list) => ![...pages.keys()].some((page) => nameOf(page) === list));
  if (entry.length === 0 || missing.length > 0)
    throw new Error(`not found in dist: ${missing.join(", ") || "the entry"}. Has the build changed?`);
  return { always: total(always), pages };
}
