import { defineConfig } from "@playwright/test";

const appPort = Number(process.env.E2E_PORT ?? 18099);
// Tests wait more than they compute: two processors serve three workers.
const workers = Number(process.env.E2E_WORKERS ?? 3);
const kitPort = appPort + workers;
// Every worker has a service and a database of its own (e2e/service.sh), so that no test meets what
// another one does at the same time. Playwright numbers its workers, and each reads this file.
const worker = Number(process.env.TEST_PARALLEL_INDEX ?? 0);
if (worker >= workers) throw new Error("set E2E_WORKERS instead of --workers, which starts no services");
// scripts/alone.ts runs a failed test again, and the kit is built by then.
const built = process.env.E2E_ALONE ? "" : "npx vite build --mode kit && ";

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
  workers,
  reporter: [["list"], ["./scripts/slowest.ts"], ["./scripts/alone.ts"]],
  use: {
    // What a failed test leaves in test-results. A trace has the document after every step; taking
    // pictures as well costs every test, also those that pass, a sixth more processor time.
    trace: { mode: "retain-on-failure", snapshots: true, sources: true, screenshots: false },
    screenshot: "only-on-failure",
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
    { name: "app", testMatch: "app/*.spec.ts", use: { baseURL: `http://localhost:${appPort + worker}` } },
    { name: "kit", testMatch: "kit.spec.ts", use: { baseURL: `http://127.0.0.1:${kitPort}` } },
  ],
  webServer: [
    {
      // The built binary on a real PostgreSQL.
      // Its own process, not a shell's child: it is waited for until it has removed its database.
      command: `exec e2e/service.sh ${appPort} ${workers}`,
      wait: { stdout: /ready/ },
      gracefulShutdown: { signal: "SIGTERM", timeout: 30_000 },
      timeout: 300_000,
    },
    {
      // The kit is built like production and served with the production policy: the
      // development server injects <style> elements, which would hide a violation.
      command: `${built}npx vite preview --mode kit --host 127.0.0.1 --port ${kitPort} --strictPort`,
      url: `http://127.0.0.1:${kitPort}/`,
      timeout: 300_000,
    },
  ],
});
