import { expect, type Page, test } from "@playwright/test";
import {
  expectAccessible,
  expectNoSidewaysScroll,
  expectReadable,
  open,
  settled,
  switchTheme,
  views,
  watch,
} from "../support";
import { expectNothingUnknown } from "./claims";
import { addressOf, inside, outside } from "./pages";
import { expectAsLightAsBuilt, scripts } from "./weight";

const [desktop, phone] = views;

const id = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;

/** Where an id is meant to be read, and why. */
const withIds: Record<string, string> = {
  "/connections/$connection": "the address that webhooks are sent to",
  "/sources/purchase_order_lines?tab=columns": "the examples of columns that hold ids",
};

/** Pages that make no calls, or whose texts do not depend on them. */
const silent = [...outside, "/you", "/receive", "/sources/orders/import", "/playbook/sops/new"];

for (const path of [...outside, ...inside]) {
  test(path || "today", async ({ page, context }) => {
    const faults = watch(page);
    const address = await addressOf(context, path);
    const loaded = scripts(page);
    await page.setViewportSize(desktop);
    // A page is checked on the desktop in one theme and on the phone in the other one; a further state of it, the other
    // way round.
    const state = path.includes("?");
    const [large, small] = state ? [desktop.other, phone.other] : [desktop.theme, phone.theme];
    await open(page, address, large);
    // A state of a page may load more than the page.
    if (!state) await expectAsLightAsBuilt(page, path, loaded);
    // Whatever has a name is called by it.
    if (!(path in withIds)) expect((await page.locator("body").innerText()).match(id) ?? []).toEqual([]);
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
    await switchTheme(page, small);
    // The colours of all that only a desktop shows. Once: a state has the colours of its page.
    if (!state) await expectReadable(page);
    if (process.env.SHOTS) await shoot(page, path, desktop);
    await page.setViewportSize(phone);
    await settled(page);
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
    if (process.env.SHOTS) await shoot(page, path, phone);
    // The API refuses an invalid link, and browsers log the refusal.
    const refused = path === "/invitation#token";
    expect(faults.filter((fault) => !refused || !fault.includes("404 (Not Found)"))).toEqual([]);

    await page.setViewportSize(desktop);
    if (!silent.includes(path)) await expectNothingUnknown(page, address);
  });
}

/** Takes a picture of a page in both themes, for people to look at: SHOTS=1 npm run e2e. */
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
