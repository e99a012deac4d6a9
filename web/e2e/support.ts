import AxeBuilder from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";

/**
 * The widths and themes in which pages are checked. axe takes seconds, so it runs in full once for
 * each width, in one theme; the other theme gets a check of colours only.
 */
export const views = [
  { name: "desktop", width: 1280, height: 900, theme: "light", other: "dark" },
  { name: "phone", width: 390, height: 844, theme: "dark", other: "light" },
] as const;

/** Collects Content-Security-Policy violations, uncaught exceptions and logged errors. */
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
  // Skeletons appear after 300 ms; wait until the loaded content has replaced them.
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
  // Wait until colours have changed. The end of a transition may begin another: of a child that inherits the colour.
  await page.evaluate(async () => {
    const moving = () =>
      document.getAnimations().filter((one) => one instanceof CSSTransition && one.playState === "running");
    for (let some = moving(); some.length > 0; some = moving()) {
      await Promise.allSettled(some.map(({ finished }) => finished));
    }
  });
}

// The app has no frames; without support for them axe takes half the time. Only violations are read.
const axe = (page: Page) =>
  new AxeBuilder({ page }).setLegacyMode(true).options({ resultTypes: ["violations"] });

/** With `overlay`, looks at the open dialogs, menus and messages only: the page below was checked. */
export async function expectAccessible(page: Page, { overlay = false } = {}) {
  const all = axe(page)
    .withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"])
    // Invisible focus guards, which pass the focus on at once.
    .exclude("[data-base-ui-focus-guard]");
  // An open menu or list is at the end of the body, rightly outside of any landmark.
  const shown = overlay ? all.include("body > div:not(#root)").disableRules(["region"]) : all;
  const { violations } = await shown.analyze();
  expectNone(violations);
}

/** Checks the colours only: the rest of a page is the same in both themes. */
export async function expectReadable(page: Page) {
  const { violations } = await axe(page).withRules(["color-contrast", "link-in-text-block"]).analyze();
  expectNone(violations);
}

function expectNone(violations: Awaited<ReturnType<AxeBuilder["analyze"]>>["violations"]) {
  const short = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, any }) => `${id}: ${target.join(" ")}: ${any[0]?.message ?? ""}`),
  );
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

/** Holds a page's requests back until `release` is called; `asked` resolves at the first request. */
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
