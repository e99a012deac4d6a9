import { defineConfig } from "@playwright/test";

const appPort = Number(process.env.E2E_PORT ?? 18099);
const kitPort = appPort + 1;

export default defineConfig({
  testDir: "e2e",
  outputDir: "test-results",
  fullyParallel: true,
  // A test that fails now and then has a cause; trying again would hide it.
  retries: 0,
  forbidOnly: Boolean(process.env.CI),
  // Generous, because machines are shared: a test that passes never waits for these.
  timeout: 240_000,
  expect: { timeout: 40_000 },
  workers: 3, // tests wait more than they compute: two processors serve three
  reporter: [["list"], ["./scripts/slowest.ts"]],
  use: {
    locale: "en-GB",
    timezoneId: "Europe/Berlin",
    launchOptions: {
      // Chromium without the parts that draw windows, which take two fifths of the processor.
      executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium-headless-shell",
      // Containers seldom allow the user namespaces that the sandbox needs.
      args: ["--no-sandbox"],
    },
  },
  projects: [
    // localhost by its name: browsers keep a Secure cookie there without TLS.
    { name: "app", testMatch: "app/*.spec.ts", use: { baseURL: `http://localhost:${appPort}` } },
    { name: "kit", testMatch: "kit.spec.ts", use: { baseURL: `http://127.0.0.1:${kitPort}` } },
  ],
  webServer: [
    {
      // The built binary on a real PostgreSQL.
      command: `e2e/service.sh ${appPort}`,
      url: `http://127.0.0.1:${appPort}/readyz`,
      gracefulShutdown: { signal: "SIGTERM", timeout: 10_000 },
      timeout: 300_000,
    },
    {
      // The kit is built like production and served with the production policy: the
      // development server injects <style> elements, which would hide a violation.
      command: `npx vite build --mode kit && npx vite preview --mode kit --host 127.0.0.1 --port ${kitPort} --strictPort`,
      url: `http://127.0.0.1:${kitPort}/`,
      timeout: 300_000,
    },
  ],
});
