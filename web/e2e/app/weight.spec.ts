import { expect, type Page, test } from "@playwright/test";
import { budgetOf, firstVisits, nameOf } from "../../scripts/first-visit.mjs";
import { addressOf, inside, outside } from "./pages";

// What the build's figures promise (npm run size), held against what a browser loads that has
// nothing yet: every script until the page is there and the network is quiet. Nobody points at
// anything meanwhile, so what is loaded for those who do is not in it.

const { pages } = firstVisits(new URL("../../dist/", import.meta.url));

/** The scripts that come, by name, with the bytes that went over the wire for each. */
function scripts(page: Page): Map<string, Promise<number>> {
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

/** Each page once; what stands behind the question mark makes it no other one. */
const once = [...new Map([...outside, ...inside].map((path) => [path.replace(/[?#].*/, ""), path])).values()];

for (const path of once) {
  test(`a first visit to ${path || "the first steps"} is as light as the build says`, async ({
    page,
    context,
  }) => {
    const address = await addressOf(context, path);
    const loaded = scripts(page);
    await page.goto(address);
    await page.locator("h1").waitFor();
    await expect(page.locator(".skeleton")).toHaveCount(0);
    await page.waitForLoadState("networkidle");

    const sizes = await Promise.all(loaded.values());
    const real = sizes.reduce((sum, size) => sum + size, 0);
    // "/nowhere" has no page of its own.
    const chunk = [...loaded.keys()].find((name) => pages.has(name) && nameOf(name) !== "entry-layout");
    const promised = chunk ? (pages.get(chunk) ?? 0) : Math.min(...pages.values());
    const kB = (bytes: number) => Math.round(bytes / 1024);
    test
      .info()
      .annotations.push({ type: "weight", description: `${path}: ${kB(real)} of ${kB(promised)} kB` });
    expect(real).toBeGreaterThan(100 * 1024); // they were counted, and came compressed or not
    expect(kB(real)).toBeLessThanOrEqual(kB(chunk ? budgetOf(chunk) : promised + 2048));
    expect(kB(real)).toBeLessThanOrEqual(kB(promised) + 4);
  });
}
