import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, test } from "vitest";

// Import rules. A layer imports only from the layers after it: app → features → ui → messages →
// lib → api. An area (a folder of src/features) imports only these files of other areas.
const offers: Record<string, string[]> = {
  agent: ["run-link"],
  alerts: ["bell"],
  articles: ["charts", "queries"],
  audit: ["who-changed"],
  customers: ["words"],
  entry: ["sign-out"],
  exchange: ["conflict-list", "of-order", "order-list", "progress", "words"],
  failures: ["fixes", "value-table", "values"],
  imports: ["drop-target"],
  inbox: ["count"],
  keys: ["create-key", "key-list", "key-status", "lifetime", "live-ended", "master-key", "queries", "reveal"],
  members: ["queries", "role-badge", "roles"],
  procurement: ["badges", "model", "month", "queries", "rule-list", "stale", "supplier-head", "terms"],
  purchasing: ["actions", "left-out", "model", "new-lines", "parts", "pickers", "queries", "tabs"],
  search: ["record-palette"],
  sources: ["queries"],
  subject: [
    "all-fields",
    "back",
    "contact",
    "figures",
    "links",
    "mentions",
    "moments",
    "notes",
    "part",
    "record",
    "words",
  ],
  tables: ["record-fields"],
  views: ["lists", "views-button"],
  workspaces: ["weekdays"],
};

const layers: Record<string, string[]> = {
  api: [],
  lib: ["api"],
  messages: ["lib"],
  ui: ["messages", "lib", "api"],
  features: ["ui", "messages", "lib", "api"],
  app: ["features", "ui", "messages", "lib", "api"],
  kit: ["app", "ui", "messages", "lib", "api"],
};

const exceptions = [
  "app/router.tsx → kit/kit-page", // in development and in the kit's own build
  "app/router.tsx → kit/screen",
  "lib/edit.ts → ui/toast", // to report a failed save
  "lib/snippets.ts → ui/snippet", // a type
];

/** Components of src/ui that only the router or the whole app shows, or that show nothing. */
const shownElsewhere = ["ui/lazy-dialog", "ui/page-states", "ui/toaster"];

const root = import.meta.dirname;

const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter(
  (file) => /(?<!\.test)\.tsx?$/.test(file) && !file.startsWith("api/"),
);

/** All imports within src, as paths relative to src, without a file extension. */
const imports = files.flatMap((file) => {
  const code = readFileSync(join(root, file), "utf8");
  return [...code.matchAll(/(?:from|import)\s*\(?\s*"((?:@|\.{1,2})\/[^"]+)"/g)].map(([, target = ""]) => ({
    file,
    target: target.startsWith("@/") ? target.slice(2) : relative(root, resolve(root, dirname(file), target)),
  }));
});

const layerOf = (path: string) => path.split("/")[0] ?? "";
const areaOf = (path: string) => path.split("/")[1] ?? "";
const tell = ({ file, target }: (typeof imports)[number]) => `${file} → ${target}`;

describe("boundaries", () => {
  test("imports were found", () => {
    expect(imports.length).toBeGreaterThan(1000);
    expect(imports.map(tell)).toContain("app/areas.ts → features/audit/area");
  });

  test("no layer imports from one above it", () => {
    const wrong = imports.filter(({ file, target }) => {
      const [from, to] = [layerOf(file), layerOf(target)];
      // The exception: areas attach their routes to those of app/area, which imports no area.
      if (target === "app/area") return from !== "features" && from !== "app";
      return from in layers && from !== to && !layers[from]?.includes(to);
    });
    expect(wrong.map(tell).sort()).toEqual([...exceptions].sort());
    const known = imports.filter(({ file }) => file === "app/area.tsx").map(({ target }) => layerOf(target));
    expect(known).not.toContain("features");
  });

  test("areas import only what other areas offer", () => {
    const across = imports.filter(
      ({ file, target }) =>
        layerOf(target) === "features" && (layerOf(file) !== "features" || areaOf(file) !== areaOf(target)),
    );
    const wrong = across.filter(({ file, target }) => {
      const [, area = "", name = ""] = target.split("/");
      return !offers[area]?.includes(name) && !(name === "area" && file === "app/areas.ts");
    });
    expect(wrong.map(tell)).toEqual([]);
    const used = new Set(across.map(({ target }) => target));
    const idle = Object.entries(offers).flatMap(([area, names]) =>
      names.map((name) => `features/${area}/${name}`).filter((offer) => !used.has(offer)),
    );
    expect(idle, "offered, but imported by no other area").toEqual([]);
  });

  test("only area.tsx files make routes, and app/areas lists each of them", () => {
    const makers = imports.filter(
      ({ file, target }) => target === "app/area" && layerOf(file) === "features",
    );
    const known = imports.filter(({ file }) => file === "app/areas.ts").map(({ target }) => `${target}.tsx`);
    expect(makers.map(({ file }) => file).filter((file) => !known.includes(file))).toEqual([]);
  });

  test("the kit shows every piece of src/ui, by itself or in another", () => {
    const shown = new Set<string>();
    const queue = imports.filter(({ file }) => layerOf(file) === "kit" || file === "app/layout.tsx");
    for (let next = queue.pop(); next; next = queue.pop()) {
      const { target } = next;
      if (layerOf(target) !== "ui" || shown.has(target)) continue;
      shown.add(target);
      queue.push(...imports.filter(({ file }) => file.replace(/(\/index)?\.tsx?$/, "") === target));
    }
    const pieces = files.filter((file) => layerOf(file) === "ui" && file.endsWith(".tsx"));
    const missing = pieces
      .map((file) => file.replace(/(\/index)?\.tsx$/, ""))
      .filter((name) => !shown.has(name));
    expect(missing.sort()).toEqual(shownElsewhere);
  });
});
