import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

// The policy the Go server sends. Repeated here so that the kit tests fail when a
// component starts to need something the product will refuse.
const csp =
  "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
  "font-src 'self'; connect-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'";

/** The files that every page loads. They are known before the lists of what to preload are written. */
const always = new Set<string>();
const findAlways: Plugin = {
  name: "find-always",
  generateBundle: {
    order: "pre",
    handler(_, bundle) {
      function add(name: string) {
        const file = bundle[name];
        if (file?.type !== "chunk" || always.has(name)) return;
        always.add(name);
        file.imports.forEach(add);
      }
      for (const file of Object.values(bundle)) if (file.type === "chunk" && file.isEntry) add(file.fileName);
    },
  },
};

export default defineConfig(({ mode }) => ({
  base: "/",
  plugins: [react(), tailwindcss(), findAlways],
  resolve: { alias: { "@": new URL("./src", import.meta.url).pathname } },
  server: {
    port: 5173,
    proxy: { "/api": { target: process.env.QUAYSIDE_URL ?? "http://127.0.0.1:8080", changeOrigin: false } },
  },
  preview: { headers: { "Content-Security-Policy": csp } },
  build: {
    // The kit build exists only for tests: the same bundler and policy as production,
    // with the kitchen-sink routes left in.
    outDir: mode === "kit" ? "dist-kit" : "dist",
    target: "es2023",
    // A data: URI would need font-src and img-src exceptions in the policy.
    assetsInlineLimit: 0,
    modulePreload: {
      polyfill: false,
      // Code that comes on demand does not name, again and again, what is there already.
      resolveDependencies: (_, files, { hostType }) =>
        hostType === "js" ? files.filter((file) => !always.has(file)) : files,
    },
    rolldownOptions: {
      output: {
        // One long-lived chunk for what changes only with a dependency update, one for the small modules
        // that nearly every page needs, and one for its icons: apart, each costs more than its own code.
        codeSplitting: {
          groups: [
            {
              name: "base",
              test: /src[\\/]lib[\\/](cx|each|format|language|locale|media|pages|period|storage|time)\.tsx?$|src[\\/]ui[\\/](button|tooltip|toast)\.tsx?$/,
            },
            {
              // What every list needs, in one file: as many small ones it is a tenth larger.
              name: "list",
              test: /src[\\/](ui[\\/](data-list|list-states|checkbox|live-note)|lib[\\/](selection|list-rows|list-keys))\.tsx?$/,
            },
            {
              name: "vendor",
              test: /node_modules[\\/](react|react-dom|scheduler|@tanstack[\\/](react-router|router-core|history|react-store|store|react-query|query-core))[\\/]/,
            },
            {
              name: "icons",
              test: /lucide-react.*[\\/](createLucideIcon|(arrow-up-right|check|chevrons-up-down|x)\.mjs)/,
            },
          ],
        },
      },
    },
  },
  test: {
    include: ["src/**/*.test.ts", "scripts/*.test.ts"],
    environment: "node",
    // Generous, because machines are shared: a test that passes never waits for it.
    testTimeout: 60_000,
    reporters: ["default", "./scripts/slowest.ts"],
  },
}));
