import AxeBuilder from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";

/**
 * How pages are looked at: at each width in one theme with axe, which takes seconds, and then in
 * the other theme. Colours differ by theme and layout by width; each is examined once.
 */
export const views = [
  { name: "desktop", width: 1280, height: 900, theme: "light", other: "dark" },
  { name: "phone", width: 390, height: 844, theme: "dark", other: "light" },
] as const;

/** Collects what the page must never do: break the policy, throw, or log an error. */
export function watch(page: Page): string[] {
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(`exception: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(`console: ${message.text()}`);
  });
  return faults;
}

export async function open(page: Page, path: string, theme: string) {
  await page.addInitScript((value) => localStorage.setItem("quayside.theme", value), theme);
  await page.goto(path);
  await page.locator("h1").waitFor();
  await page.evaluate(() => document.fonts.ready);
  // Skeletons wait 300 ms before they show; then they must have given way to what was loaded.
  await page.waitForTimeout(400);
  if (!path.startsWith("/_kit")) await expect(page.locator(".skeleton")).toHaveCount(0);
}

/** Changes the theme of an open page, as another tab would. */
export async function switchTheme(page: Page, theme: string) {
  await page.evaluate((value) => {
    localStorage.setItem("quayside.theme", value);
    dispatchEvent(new StorageEvent("storage", { key: "quayside.theme" }));
  }, theme);
  await expect(page.locator("html")).toHaveAttribute("data-theme", theme);
}

// There are no frames: without what it would do for them it takes half the time.
const axe = (page: Page) => new AxeBuilder({ page }).setLegacyMode(true);

export async function expectAccessible(page: Page, { overlay = false } = {}) {
  const { violations } = await axe(page)
    .withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"])
    // An open menu or list hangs at the end of the body, outside of any landmark, as it should.
    .disableRules(overlay ? ["region"] : [])
    // Invisible stops that pass the focus on at once; nobody can rest on one.
    .exclude("[data-base-ui-focus-guard]")
    .analyze();
  expectNone(violations);
}

/** Checks the colours only: the rest of a page is the same in both themes. */
export async function expectReadable(page: Page) {
  // Wait until colours have changed.
  await page.evaluate(() => {
    const moving = document.getAnimations().filter((one) => one instanceof CSSTransition);
    return Promise.allSettled(moving.map(({ finished }) => finished));
  });
  const { violations } = await axe(page).withRules(["color-contrast", "link-in-text-block"]).analyze();
  expectNone(violations);
}

function expectNone(violations: Awaited<ReturnType<AxeBuilder["analyze"]>>["violations"]) {
  const short = violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target.join(" ")).join(" | ")}`);
  expect(short).toEqual([]);
}

export async function expectNoSidewaysScroll(page: Page) {
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(overflow).toBeLessThanOrEqual(0);
}

/** A promise that is resolved from outside. */
export function signal() {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

/** Keeps back what a page asks for until it is released; `asked` tells when it has asked. */
export async function hold(page: Page, address: RegExp, method = "GET") {
  const [asked, held] = [signal(), signal()];
  await page.route(address, async (route) => {
    if (route.request().method() === method) {
      asked.resolve();
      await held.promise;
    }
    await route.continue();
  });
  return { asked: asked.promise, release: held.resolve };
}
