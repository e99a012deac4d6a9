import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { expect, test } from "vitest";

const src = resolve(import.meta.dirname, "..");

/** What only the router or the whole app shows, and what shows nothing itself. */
const elsewhere = ["lazy-dialog", "page-states", "toaster"];

/** The files of src/ui that a file imports, at once or on demand. */
function piecesOf(file: string): string[] {
  const code = readFileSync(file, "utf8");
  return [...code.matchAll(/(?:from|import)\s*\(?\s*"((?:@\/ui|\.{1,2})\/[^"]+)"/g)].flatMap(
    ([, target = ""]) => {
      const path = target.startsWith("@/") ? join(src, target.slice(2)) : resolve(dirname(file), target);
      return [`${path}.tsx`, `${path}.ts`, join(path, "index.tsx"), join(path, "index.ts")].filter(
        (found) => existsSync(found) && relative(src, found).startsWith("ui/"),
      );
    },
  );
}

test("the kit shows every piece of src/ui, by itself or in another", () => {
  const shown = new Set<string>();
  const queue = [
    ...readdirSync(import.meta.dirname).map((name) => join(import.meta.dirname, name)),
    join(src, "app/layout.tsx"),
  ];
  for (let file = queue.pop(); file; file = queue.pop()) {
    for (const piece of piecesOf(file)) {
      if (shown.has(piece)) continue;
      shown.add(piece);
      queue.push(piece);
    }
  }
  expect(shown.size).toBeGreaterThan(50);
  const all = readdirSync(join(src, "ui"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".tsx") && !name.includes(".test."))
    .map((name) => join(src, "ui", name));
  const missing = all.filter((piece) => !shown.has(piece)).map((piece) => relative(join(src, "ui"), piece));
  expect(missing.map((name) => name.replace(".tsx", "")).sort()).toEqual(elsewhere);
});
