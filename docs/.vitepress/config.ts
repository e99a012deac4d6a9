import { readFileSync } from "node:fs";
import { defineConfig } from "vitepress";

// The site is made of the Markdown files as they are: they read well on a forge too. Its groups
// and their order are those of README.md.
const index = readFileSync(new URL("../README.md", import.meta.url), "utf8");

/** The headings of the index, each with the links below it. */
const sidebar = index
  .split(/^## /m)
  .slice(1)
  .map((group) => ({
    text: group.split("\n", 1)[0] ?? "",
    collapsed: false,
    items: [...group.matchAll(/^- \[([^\]]+)\]\(([^)]+)\.md\)/gm)].map(([, text = "", file = ""]) => ({
      text,
      link: `/${file}`,
    })),
  }));

export default defineConfig({
  title: "Quayside",
  description: "Collects your shop's data, shows what failed, and turns it into supplier orders.",
  lang: "en",
  base: "/docs/",
  outDir: "dist",
  cacheDir: "node_modules/.cache",
  rewrites: { "README.md": "index.md" },
  cleanUrls: true,
  // Without it every page names the files of all others, in a script of its own.
  metaChunk: true,
  // One page at a time: in parallel, the order of the search index would differ from build to build.
  buildConcurrency: 1,
  head: [["link", { rel: "icon", href: "/favicon.svg" }]],
  themeConfig: {
    search: { provider: "local" },
    sidebar,
    outline: [2, 3],
    nav: [
      { text: "Guides", link: "/" },
      { text: "API reference", link: "/reference", target: "_self" },
      { text: "Open Quayside", link: "https://quayside.example/", target: "_self" },
    ],
    docFooter: { prev: false, next: false },
  },
});
