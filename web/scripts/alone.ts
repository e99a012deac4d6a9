import { spawn } from "node:child_process";
import { mkdirSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FullConfig, Reporter, TestCase, TestResult } from "@playwright/test/reporter";

const times = 5;
/** With more failures than this, the product is broken, and neighbours are no explanation. */
const most = 3;

/** One line about a test that failed, and how often it passed alone. */
export function verdict(name: string, passed: number): string {
  const meaning =
    passed === times
      ? "it fails beside others, or now and then"
      : passed === 0
        ? "it fails by itself"
        : "it fails now and then by itself";
  return `${name}\n    failed in the suite; alone: ${passed} of ${times} passed: ${meaning}`;
}

/** The line of Playwright's --test-list that names a test. The first part of the path is empty. */
export function listed([, project, ...path]: string[]): string {
  return [`[${project}]`, ...path].join(" › ");
}

/**
 * A reporter that runs each failed test five times alone, with a service of its own, after the suite. That tells
 * a test that fails by itself from one that fails beside others. The run has failed in any case.
 */
export default class Alone implements Reporter {
  private readonly failed: TestCase[] = [];
  private folder = "";

  onBegin(config: FullConfig): void {
    this.folder = config.projects[0]?.outputDir ?? "";
  }

  onTestEnd(test: TestCase, result: TestResult): void {
    if (result.status === "failed" || result.status === "timedOut") this.failed.push(test);
  }

  async onExit(): Promise<void> {
    if (this.failed.length === 0 || process.env.E2E_ALONE) return;
    console.log(
      `\nwhat the failed tests left is in ${this.folder}: traces, for npx playwright show-trace, and pictures`,
    );
    if (this.failed.length > most) {
      console.log(`${this.failed.length} tests failed, too many to try each alone`);
      return;
    }
    console.log(`\nevery failed test again, ${times} times alone:`);
    for (const [index, test] of this.failed.entries()) {
      let passed = 0;
      for (let round = 1; round <= times; round++)
        if (await passes(test, join(this.folder, `alone-${index + 1}-${round}`))) passed++;
      console.log(`  ${verdict(test.titlePath().slice(1).join(" › "), passed)}`);
    }
  }

  printsToStdio(): boolean {
    return false; // the list reporter prints the results
  }
}

/** Runs one test with a service of its own; `folder` is where its output and what it leaves are kept. */
function passes(test: TestCase, folder: string): Promise<boolean> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}.list`, `${listed(test.titlePath())}\n`);
  const log = openSync(`${folder}.log`, "w");
  const args = ["test", "--workers=1", `--test-list=${folder}.list`, `--output=${folder}`, "--reporter=list"];
  const run = spawn(process.execPath, [process.argv[1] ?? "", ...args], {
    env: { ...process.env, E2E_ALONE: "1", E2E_WORKERS: "1" },
    stdio: ["ignore", log, log],
  });
  return new Promise((resolve) => run.on("close", (code) => resolve(code === 0)));
}
