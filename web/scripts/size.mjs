// Measures what a first visit to each page downloads (the page's chunk, all that it imports,
// and what every page loads) and fails above the budget.
import { readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const budget = 250 * 1024;
const dir = new URL("../dist/", import.meta.url);
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

const entry = [...html.matchAll(/(?:src|href)="\/assets\/([^"]+\.js)"/g)].map((match) => match[1]);
const always = closure([...entry, ...[...assets.keys()].filter((name) => name.startsWith("toaster-"))]);
const pages = [...closure(entry)].flatMap((name) => assets.get(name).opens);
const theme = gzipSync(readFileSync(new URL("theme.js", dir)), { level: 9 }).length;
const total = (names) => [...names].reduce((sum, name) => sum + assets.get(name).size, theme);

const sizes = pages
  .filter((page) => assets.has(page))
  .map((page) => [page, total(closure([page], new Set(always)))])
  .sort(([, a], [, b]) => b - a);
if (entry.length === 0 || sizes.length < 10)
  throw new Error("the pages were not found in dist: has the build changed?");
const kB = (bytes) => `${(bytes / 1024).toFixed(1).padStart(6)} kB`;
console.log(
  `${kB(total(always))} gzipped script on every page; the largest first visits, budget ${budget / 1024} kB:`,
);
for (const [page, size] of sizes.slice(0, 5)) console.log(`${kB(size)}  ${page}`);
if (sizes[0][1] > budget) process.exit(1);
