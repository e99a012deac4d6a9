import { defineConfig } from "@hey-api/openapi-ts";

export default defineConfig({
  input: "../docs/openapi.json",
  output: {
    path: "src/api",
    // Generated files are committed as they come, so that a diff shows only API changes.
    postProcess: [],
  },
  plugins: [
    "@hey-api/typescript",
    { name: "@hey-api/sdk" },
    { name: "@hey-api/client-fetch", runtimeConfigPath: "../lib/api-config", throwOnError: true },
    { name: "@tanstack/react-query", queryOptions: true, infiniteQueryOptions: true, mutationOptions: true },
  ],
});
