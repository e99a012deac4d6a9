import { expect, type Page, test } from "@playwright/test";
import { budgetOf, firstVisits, nameOf } from "../../scripts/first-visit.mjs";

// Compares the build's figures (npm run size) with what a browser with an empty cache loads: every
// script until the page is shown and the network is idle. The pointer never moves, so code that is
// loaded on hover does not count.

const { pages } = firstVisits(new URL("../../dist/", import.meta.url));

/** The scripts that a page loads from now on, by name, each with its bytes on the wire. */
export function scripts(page: Page): Map<string, Promise<number>> {
  const found = new Map<string, Promise<number>>();
  page.on("requestfinished", (request) => {
    if (request.resourceType() !== "script") return;
    const name = new URL(request.url()).pathname.split("/").at(-1) ?? "";
    found.set(
      name,
      request.sizes().then(({ responseBodySize }) => responseBodySize),
    );
  });
  return found;
}

/** Checks the scripts of a first visit to a page. */
export async function expectAsLightAsBuilt(page: Page, path: string, loaded: Map<string, Promise<number>>) {
  await page.waitForLoadState("networkidle");
  const sizes = await Promise.all(loaded.values());
  const real = sizes.reduce((sum, size) => sum + size, 0);
  // "/nowhere" has no page of its own.
  const chunk = [...loaded.keys()].find((name) => pages.has(name) && nameOf(name) !== "entry-layout");
  const promised = chunk ? (pages.get(chunk) ?? 0) : Math.min(...pages.values());
  const kB = (bytes: number) => Math.round(bytes / 1024);
  test.info().annotations.push({ type: "weight", description: `${path}: ${kB(real)} of ${kB(promised)} kB` });
  expect(real).toBeGreaterThan(100 * 1024); // scripts were counted at all
  expect(kB(real)).toBeLessThanOrEqual(kB(chunk ? budgetOf(chunk) : promised + 2048));
  // Some parts of a page are chunks of their own, and shown at once.
  expect(kB(real)).toBeLessThanOrEqual(kB(promised) + 10);
}
