import { expect, type Page, test } from "@playwright/test";
import { claimed, noteClaims, reads } from "./claims";
import { addressOf } from "./pages";

// A page must not claim that a list is empty before it knows, also on a slow network where some calls
// fail. pages.spec.ts checks each page while its calls wait, and when they are refused.

/** The claims of emptiness that a page makes until all of its calls are answered. */
async function claimsOf(page: Page, address: string): Promise<string[]> {
  await page.goto(address);
  await page.locator("h1").waitFor();
  const busy = page.locator("[aria-busy=true]:not([inert]), .skeleton");
  await expect(busy).toHaveCount(0, { timeout: 60_000 });
  return claimed(page);
}

test("a slow network that fails now and then shows no lying list", async ({ page, context }) => {
  test.setTimeout(240_000);
  await noteClaims(context);
  const well = await context.newPage();
  const network = await context.newCDPSession(page);
  await network.send("Network.enable");
  await network.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: 400,
    downloadThroughput: 50_000,
    uploadThroughput: 50_000,
  });
  let calls = 0;
  await page.route(reads, (route) => (++calls % 20 === 7 ? route.abort() : route.continue()));
  for (const path of [
    "/purchase-orders",
    "/failures",
    "/failures/rows",
    "/arrivals",
    "/audit",
    "/tables/orders",
  ]) {
    const address = await addressOf(context, path);
    const right = await claimsOf(well, address);
    const said = await claimsOf(page, address);
    expect(
      said.filter((claim) => !right.includes(claim)),
      path,
    ).toEqual([]);
  }
  expect(calls).toBeGreaterThan(20);
});
