import { type BrowserContext, expect, type Page, test } from "@playwright/test";
import { addressOf, inside } from "./pages";

// A page must not claim that a list is empty before it knows: not while it waits, not when its calls
// are refused, and not on a slow network where some calls fail.

/** Every API call except the one for the session. */
const reads = (url: URL) => url.pathname.startsWith("/api/app/") && url.pathname !== "/api/app/session";

/** Elements that claim that a list is empty. */
const claims = "[data-empty]";

/** Pages that make no calls, or whose texts do not depend on them. */
const silent = ["/you", "/receive", "/sources/orders/import", "/playbook/sops/new"];

for (const path of inside.filter((path) => !silent.includes(path))) {
  test(`${path || "first steps"} says nothing that it does not know`, async ({ page, context }) => {
    const address = await addressOf(context, path);
    let asked = () => {};
    const waiting = new Promise<void>((resolve) => {
      asked = resolve;
    });
    await page.route(reads, () => asked()); // never answered
    await page.goto(address);
    await waiting;
    await page.locator("h1").or(page.getByRole("status").first()).first().waitFor();
    await expect(page.locator(claims)).toHaveCount(0);
    await page.unrouteAll({ behavior: "ignoreErrors" });

    await page.route(reads, (route) =>
      route.fulfill({ status: 422, json: { title: "Refused", detail: "this was refused for the test" } }),
    );
    await page.goto(address);
    await expect(page.getByText("This was refused for the test.").first()).toBeVisible();
    await expect(page.locator(claims)).toHaveCount(0);
  });
}

/** Records every claim of emptiness that the context's pages make, at any moment. */
async function noteClaims(context: BrowserContext) {
  await context.addInitScript((claims) => {
    const seen: string[] = [];
    Object.assign(window, { claims: seen });
    new MutationObserver(() => {
      for (const one of document.querySelectorAll(claims)) {
        const text = one.textContent ?? "";
        if (!seen.includes(text)) seen.push(text);
      }
    }).observe(document, { childList: true, subtree: true });
  }, claims);
}

/** The claims of emptiness that a page makes until all of its calls are answered. */
async function claimsOf(page: Page, address: string): Promise<string[]> {
  await page.goto(address);
  await page.locator("h1").waitFor();
  const busy = page.locator("[aria-busy=true]:not([inert]), .skeleton");
  await expect(busy).toHaveCount(0, { timeout: 60_000 });
  return page.evaluate(() => (window as unknown as { claims: string[] }).claims);
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
    // Other tests work in the same company, so a list may become empty or filled meanwhile.
    const before = await claimsOf(well, address);
    const said = await claimsOf(page, address);
    const after = await claimsOf(well, address);
    expect(
      said.filter((claim) => !before.includes(claim) && !after.includes(claim)),
      path,
    ).toEqual([]);
  }
  expect(calls).toBeGreaterThan(20);
});
