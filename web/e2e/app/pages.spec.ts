import { expect, type Page, test } from "@playwright/test";
import {
  expectAccessible,
  expectNoSidewaysScroll,
  expectReadable,
  open,
  switchTheme,
  views,
  watch,
} from "../support";
import { addressOf, inside, outside } from "./pages";
import { expectAsLightAsBuilt, scripts } from "./weight";

const [desktop, phone] = views;

const id = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;

/** Where an id is meant to be read, and why. */
const withIds: Record<string, string> = {
  "/connections/$connection": "the address that webhooks are sent to",
  "/sources/purchase_order_lines?tab=columns": "the examples of columns that hold ids",
};

for (const path of [...outside, ...inside]) {
  test(path || "today", async ({ page, context }) => {
    const faults = watch(page);
    const address = await addressOf(context, path);
    const loaded = scripts(page);
    await page.setViewportSize(desktop);
    await open(page, address, desktop.theme);
    // A state of a page may load more than the page.
    if (!path.includes("?")) await expectAsLightAsBuilt(page, path, loaded);
    // Whatever has a name is called by it.
    if (!(path in withIds)) expect((await page.locator("body").innerText()).match(id) ?? []).toEqual([]);
    for (const view of [desktop, phone]) {
      await page.setViewportSize(view);
      await switchTheme(page, view.theme);
      await expectAccessible(page);
      await expectNoSidewaysScroll(page);
      await switchTheme(page, view.other);
      await expectReadable(page);
      // Screenshots for people to look at: SHOTS=1 npm run e2e.
      if (process.env.SHOTS) await shoot(page, path, view);
    }
    // The API refuses an invalid link, and browsers log the refusal.
    const refused = path === "/invitation#token";
    expect(faults.filter((fault) => !refused || !fault.includes("404 (Not Found)"))).toEqual([]);
  });
}

/** Takes a picture of a page in both themes. */
async function shoot(page: Page, path: string, { name, theme, other }: (typeof views)[number]) {
  const file = path.replaceAll(/[^a-zA-Z0-9_]+/g, "-").replaceAll(/^-|-$/g, "") || "today";
  for (const one of [other, theme]) {
    await switchTheme(page, one);
    await page.screenshot({
      path: `e2e/screenshots/${file}-${one}-${name}.png`,
      fullPage: true,
      animations: "disabled",
    });
  }
}

test("every page of the router has an address here", () => {
  expect(inside.length).toBeGreaterThan(20);
  expect(outside).toContain("/sign-in");
  // A parameter that has no value in pages.ts stays in the address as $name; addressOf fills it in.
  expect(inside.filter((path) => path.includes("$")).sort()).toEqual([
    "/agent-runs/$run",
    "/agent-runs/$run?tab=left_out",
    "/connections/$connection",
    "/connections/$connection?tab=conflicts",
    "/connections/$connection?tab=dry-run",
    "/connections/$connection?tab=map",
    "/connections/$connection?tab=orders",
    "/customers/$customer",
    "/imports/$import",
    "/products/$record",
    "/purchase-orders/new?supplier=$supplier",
    "/suppliers/$supplier",
  ]);
});
