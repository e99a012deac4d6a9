import type { Reporter as PlaywrightReporter, TestCase, TestResult } from "@playwright/test/reporter";
import type { TestModule, Reporter as VitestReporter } from "vitest/node";

const shown = 10;

type Timed = { name: string; ms: number };

/** The slowest tests, the slowest first, as lines to print. */
export function slowest(tests: Timed[]): string[] {
  return [...tests]
    .sort((a, b) => b.ms - a.ms)
    .slice(0, shown)
    .map(({ name, ms }) => `${(ms / 1000).toFixed(2).padStart(8)} s  ${name}`);
}

function print(tests: Timed[]): void {
  if (tests.length === 0) return;
  console.log(["\nthe slowest tests:", ...slowest(tests), ""].join("\n"));
}

/** A reporter for both Playwright and vitest; each calls only its own methods. */
export default class Slowest implements PlaywrightReporter, VitestReporter {
  private readonly ended: Timed[] = [];

  onTestEnd(test: TestCase, result: TestResult): void {
    this.ended.push({ name: test.titlePath().filter(Boolean).join(" › "), ms: result.duration });
  }

  onEnd(): void {
    print(this.ended);
  }

  printsToStdio(): boolean {
    return false; // the list reporter prints the results
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    print(tests.map((test) => ({ name: test.fullName, ms: test.diagnostic()?.duration ?? 0 })));
  }
}
