import AxeBuilder from "@axe-core/playwright";
import { expect, type Page, type Request } from "@playwright/test";

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
  requests(page);
  await page.addInitScript((value) => localStorage.setItem("quayside.theme", value), theme);
  await page.goto(path);
  await page.locator("h1").waitFor();
  await page.evaluate(() => document.fonts.ready);
  // Parts of a page that come later mark nothing while their code is loaded: the network must be idle for half a second.
  await page.waitForLoadState("networkidle");
  // The kit always shows how a part looks that is being loaded.
  await settled(page, path.startsWith("/_kit") ? ".none" : undefined);
}

interface Requests {
  underway: Set<Request>;
  sent: number;
}

const counted = new WeakMap<Page, Requests>();

/** Counts a page's requests, from the first call on. */
function requests(page: Page): Requests {
  const before = counted.get(page);
  if (before) return before;
  const count: Requests = { underway: new Set(), sent: 0 };
  counted.set(page, count);
  page.on("request", (request) => {
    count.sent++;
    count.underway.add(request);
  });
  for (const event of ["requestfinished", "requestfailed"] as const)
    page.on(event as "requestfinished", (request) => count.underway.delete(request));
  return count;
}

/** Skeletons are in the document from the beginning, though invisible for 300 ms. */
const loading = ".skeleton, [aria-busy=true]:not([inert])";

/**
 * Waits until a page has loaded everything and stands still: its requests are answered, what they bring is drawn and
 * asks for nothing more, and no part is still being loaded.
 */
export async function settled(page: Page, busy = loading) {
  const count = requests(page);
  const state = async () => {
    if (count.underway.size > 0) return `${count.underway.size} requests`;
    const before = count.sent;
    await drawn(page);
    if (count.sent > before) return "new requests";
    const parts = await page.locator(busy).count();
    return parts > 0 ? `${parts} parts are loading` : "settled";
  };
  await expect.poll(state, { intervals: [20, 50, 100] }).toBe("settled");
  await still(page);
}

/** Waits for two frames: in the second one, what was changed before is on the screen. */
export async function drawn(page: Page) {
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  );
}

/** Waits until nothing moves, such as an opening dialog; what moves for ever, such as a skeleton, is not waited for. */
export async function still(page: Page) {
  await drawn(page); // an animation begins with the frame after the change
  await page.evaluate(async () => {
    // Base UI marks what is about to move.
    while (document.querySelector("[data-starting-style], [data-ending-style]"))
      await new Promise((resolve) => requestAnimationFrame(resolve));
    const moving = () =>
      document
        .getAnimations()
        .filter((one) => one.playState === "running" && one.effect?.getComputedTiming().endTime !== Infinity);
    // The end of an animation may begin another: of a child that inherits the colour.
    for (let some = moving(); some.length > 0; some = moving()) {
      await Promise.allSettled(some.map(({ finished }) => finished));
    }
  });
}

/**
 * Acts, and waits for the message that says what was done. It goes after five seconds, which a busy machine may take between
 * two steps of a test: the page itself looks for it in every frame, from before the act on.
 */
export async function says(page: Page, message: string, act: () => Promise<unknown>) {
  const timeout = 60_000;
  const said = page.waitForFunction(
    (text) =>
      [...document.querySelectorAll("[aria-label=Notifications] p")].some(({ textContent }) =>
        textContent.includes(text),
      ),
    message,
    { polling: "raf", timeout },
  );
  await Promise.all([said, act()]);
}

/** Changes the theme of an open page, as another tab would. */
export async function switchTheme(page: Page, theme: string) {
  await page.evaluate((value) => {
    localStorage.setItem("quayside.theme", value);
    dispatchEvent(new StorageEvent("storage", { key: "quayside.theme" }));
  }, theme);
  await expect(page.locator("html")).toHaveAttribute("data-theme", theme);
  await still(page);
}

/** axe for a page. The app has no frames; without support for them axe takes half the time. Only violations are read. */
async function axe(page: Page) {
  await still(page); // what fades in has too little contrast
  // The half megabyte of axe's source is needed once in a document, and would be sent twice for each check.
  const there = await page.evaluate(() => "axe" in window);
  const builder = new AxeBuilder(there ? { page, axeSource: "0" } : { page });
  return builder.setLegacyMode(true).options({ resultTypes: ["violations"] });
}

/** With `overlay`, looks at the open dialogs, menus and messages only: the page below was checked. */
export async function expectAccessible(page: Page, { overlay = false } = {}) {
  const all = (await axe(page))
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
  const colors = (await axe(page)).withRules(["color-contrast", "link-in-text-block"]);
  const { violations } = await colors.analyze();
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
