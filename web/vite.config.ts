import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

// The policy the Go server sends. Repeated here so that the kit tests fail when a
// component starts to need something the product will refuse.
const csp =
  "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
  "font-src 'self'; connect-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'";

export default defineConfig(({ mode }) => ({
  base: "/",
  plugins: [react(), tailwindcss()],
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
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        // One long-lived chunk for what changes only with a dependency update.
        codeSplitting: {
          groups: [
            {
              name: "vendor",
              test: /node_modules[\\/](react|react-dom|scheduler|@tanstack[\\/](react-router|router-core|history|react-store|store|react-query|query-core))[\\/]/,
            },
          ],
        },
      },
    },
  },
  test: {
    include: ["src/**/*.test.ts", "scripts/*.test.ts"],
    environment: "node",
    reporters: ["default", "./scripts/slowest.ts"],
  },
}));
