import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { language, pageLocale } from "@/lib/language";

const root = new URL("../", import.meta.url);
const sources = readdirSync(root, { recursive: true, encoding: "utf8" })
  .filter((path) => /\.tsx?$/.test(path) && !/\.test\.|^api\/|^kit\//.test(path))
  .map((path) => ({ path, text: readFileSync(new URL(path, root), "utf8") }));
const isCatalogue = (path: string) => path.startsWith("messages/");

const catalogue = sources
  .filter(({ path }) => isCatalogue(path))
  .map(({ text }) => text)
  .join("\n");
const forms = [...catalogue.matchAll(/other \{((?:[^{}]|\{\w+\})*)\}/g)].map(([, text = ""]) => text);
/** The nouns that the catalogue counts: lines, records, failed imports. */
const nouns = [...new Set(forms.flatMap((text) => /(\w+s)\b(?!.*\w+s\b)/.exec(text)?.[1] ?? []))];

/** Finds code that joins a number and its noun by hand. */
function adHoc(text: string): string[] {
  const choice = /[=!]==? 1\s*(?:\?\s*[("'`<]|&&\s*["'`<])/g;
  // Imports are counted, but "open failed imports" are named by a status.
  const counted = new RegExp(
    String.raw`(?:(?<!status)\}|/>)(?: |\{" "\}\s*)(?:[a-z]+ )?(?:${nouns.join("|")})\b(?!=|\.\w)`,
    "g",
  );
  return [...text.matchAll(choice), ...text.matchAll(counted)].map(([found]) => found);
}

describe("plurals", () => {
  it("are written in the catalogue alone", () => {
    const found = sources
      .filter(({ path }) => !isCatalogue(path))
      .flatMap(({ path, text }) => adHoc(text).map((one) => `${path}: ${one}`));
    expect(found).toEqual([]);
  });

  it.each([
    'count === 1 ? "line" : "lines"',
    "n !== 1 && `s`",
    "<b>{count} lines</b> selected",
    "<Num value={rows} /> rows in all",
    '{lines.length}{" "}\n records',
    "{failures} failed imports",
  ])("are found where they do not belong: %s", (text) => expect(adHoc(text)).not.toEqual([]));

  it.each(["<Table card={card} rows={rows} />", "step === 1 ? 0 : last", "{name} is ready"])(
    "are not seen where there are none: %s",
    (text) => expect(adHoc(text)).toEqual([]),
  );
});

describe("messages", () => {
  const modules = import.meta.glob<Record<string, unknown>>("./*.ts", { eager: true });
  const all = Object.entries(modules).flatMap(([path, module]) =>
    Object.entries(module).map(([name, value]) => [`${path} ${name}`, value] as const),
  );

  it("are all here", () => expect(all.length).toBeGreaterThan(40));

  it.each(all)("leave nothing unwritten: %s", (_, value) => {
    const write = value as (values: object, locale: string) => string;
    for (const number of [0, 1, 2, 1500]) {
      const text = write(new Proxy({}, { get: () => number }), "de-DE");
      expect(text).not.toMatch(/[{}#]|plural|other|undefined/);
      if (/\d/.test(text) && number === 1500) expect(text).toContain("1.500");
    }
  });

  it("have a form for every number", () => {
    for (const [block] of catalogue.matchAll(/\{\w+, plural,.*?\}\}/g)) expect(block).toContain(" other {");
  });
});

describe("the page's language", () => {
  it("is the one that index.html names", () => {
    const html = readFileSync(new URL("../index.html", root), "utf8");
    expect(/<html lang="([^"]+)"/.exec(html)?.[1]).toBe(language);
  });

  it("is that of the words of dates, wherever the workspace is", () => {
    for (const locale of ["en-US", "de-DE", "de", "fr-FR", "pt-BR", "ar-EG", "ja", "zh-Hant-TW", "en-IN"])
      expect(new Intl.Locale(pageLocale(locale)).language).toBe(language);
  });

  // Other formatters would bring another language onto the page.
  it("is asked for by what writes dates", () => {
    const allowed = [
      "lib/time.ts",
      "lib/language.ts",
      "lib/locale.tsx",
      "features/workspaces/options.ts",
      "features/purchasing/reminder.ts", // writes mails, in the supplier's language
    ];
    const found = sources
      .filter(({ text }) =>
        /Intl\.(DateTimeFormat|RelativeTimeFormat|ListFormat)\(|toLocale(Date|Time)?String/.test(text),
      )
      .map(({ path }) => path)
      .filter((path) => !allowed.includes(path));
    expect(found).toEqual([]);
  });
});
