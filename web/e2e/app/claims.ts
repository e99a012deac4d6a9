import { type BrowserContext, expect, type Page, test } from "@playwright/test";
import { signal } from "../support";

/** Every API call except the one for the session. */
export const reads = (url: URL) =>
  url.pathname.startsWith("/api/app/") && url.pathname !== "/api/app/session";

/** Records every claim that a list is empty that the pages of a context make from now on, at any moment. */
export async function noteClaims(context: BrowserContext) {
  await context.addInitScript(() => {
    const seen: string[] = [];
    Object.assign(window, { claims: seen });
    new MutationObserver(() => {
      for (const one of document.querySelectorAll("[data-empty]")) {
        const text = one.textContent ?? "";
        if (!seen.includes(text)) seen.push(text);
      }
    }).observe(document, { childList: true, subtree: true });
  });
}

/** The claims that a page has made since it was opened. */
export function claimed(page: Page): Promise<string[]> {
  return page.evaluate(() => (window as unknown as { claims: string[] }).claims);
}

/** Opens a page whose calls are not answered for some time, and then refused: it must not claim that a list is empty. */
export async function expectNothingUnknown(page: Page, address: string) {
  const [asked, held] = [signal(), signal()];
  await noteClaims(page.context());
  await page.route(reads, async (route) => {
    asked.resolve();
    await held.promise;
    await route.fulfill({
      status: 422,
      json: { title: "Refused", detail: "this was refused for the test" },
    });
  });
  await test.step("calls are not answered", async () => {
    await page.goto(address);
    await asked.promise;
    await page.locator("h1").or(page.getByRole("status").first()).first().waitFor();
    await expect(page.locator("[data-empty]")).toHaveCount(0);
  });
  await test.step("calls are refused", async () => {
    held.resolve();
    await expect(page.getByText("This was refused for the test.").first()).toBeVisible();
    await expect(page.locator("[data-empty]")).toHaveCount(0);
  });
  expect(await claimed(page)).toEqual([]);
}
