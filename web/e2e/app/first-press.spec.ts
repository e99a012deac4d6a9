import { expect, type Page, test } from "@playwright/test";
import { drawn, hold } from "../support";
import { enter } from "./people";

// The code of a popup is loaded when somebody is about to open it. A press before it has arrived
// must not be lost, by mouse, finger or key.

/** Holds back the code of popups until the returned function is called. */
async function holdPopups(page: Page): Promise<() => void> {
  return (await hold(page, /\/assets\/(menu-popup|popover-popup|select)-[\w-]{8}\.js/)).release;
}

const presses = {
  "a click": (page: Page, name: RegExp) => page.getByRole("button", { name }).click(),
  Enter: (page: Page, name: RegExp) => page.getByRole("button", { name }).press("Enter"),
  Space: (page: Page, name: RegExp) => page.getByRole("button", { name }).press("Space"),
  "an arrow key": (page: Page, name: RegExp) => page.getByRole("button", { name }).press("ArrowDown"),
};

for (const [what, press] of Object.entries(presses)) {
  test(`${what} opens a menu that is not there yet`, async ({ page, context }) => {
    const workspace = await enter(context, "admin");
    const release = await holdPopups(page);
    await page.goto(`/w/${workspace}/tables`);
    const account = page.getByRole("button", { name: /^Account of/ });
    await expect(account).toHaveAttribute("aria-haspopup", "menu");
    await expect(account).toHaveAttribute("aria-expanded", "false");
    await press(page, /^Account of/);
    await expect(page.getByRole("menu")).toHaveCount(0);
    release();
    await expect(page.getByRole("menu")).toBeVisible();
    await expect(account).toHaveAttribute("aria-expanded", "true");
    await page.keyboard.press("Escape");
    await expect(page.getByRole("menu")).toHaveCount(0);
    await expect(account).toBeFocused();
    // Later presses work as usual.
    await page.keyboard.press("Enter");
    await expect(page.getByRole("menuitem").first()).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(/\/you$/);
  });
}

test("whoever goes on to type before a menu is there is left alone", async ({ page, context }) => {
  const workspace = await enter(context, "admin");
  const release = await holdPopups(page);
  await page.goto(`/w/${workspace}/tables`);
  await page.getByRole("button", { name: /^Account of/ }).click();
  const search = page
    .getByRole("main")
    .getByRole("searchbox")
    .or(page.getByRole("main").getByRole("textbox"));
  await search.first().fill("ord");
  const came = page.waitForResponse(/menu-popup-/);
  release();
  await (await came).finished();
  await drawn(page);
  await expect(search.first()).toBeFocused();
  await expect(page.getByRole("menu")).toHaveCount(0);
});

test("a filter of a list takes the press that came before it", async ({ page, context }) => {
  const workspace = await enter(context, "admin");
  const release = await holdPopups(page);
  await page.goto(`/w/${workspace}/audit`);
  const filter = page.getByRole("combobox").first();
  await filter.press("Enter");
  release();
  const options = page.getByRole("option");
  await expect(options.first()).toBeVisible();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(options).toHaveCount(0);
  await expect(page).toHaveURL(/audit\?/);
  await expect(filter).toBeFocused();
});

test("a popover takes the press that came before it", async ({ page, context }) => {
  const workspace = await enter(context, "admin");
  const release = await holdPopups(page);
  await page.goto(`/w/${workspace}/tables/orders`);
  await page.getByRole("button", { name: "Columns" }).click();
  release();
  await expect(page.getByRole("dialog", { name: "Columns" })).toBeVisible();
});

test("a menu that cannot be loaded says so, and opens at the next press", async ({ page, context }) => {
  const workspace = await enter(context, "admin");
  let broken = true;
  await page.route(/\/assets\/menu-popup-/, (route) => (broken ? route.abort() : route.continue()));
  await page.goto(`/w/${workspace}/tables`);
  const account = page.getByRole("button", { name: /^Account of/ });
  await account.click();
  await expect(
    page.getByRole("region", { name: "Notifications" }).getByText("That could not be loaded"),
  ).toBeVisible();
  broken = false;
  await account.click();
  await expect(page.getByRole("menu")).toBeVisible();
});

test("a hint comes on hover and on focus, and goes on Escape", async ({ page, context }) => {
  const workspace = await enter(context, "admin");
  await page.goto(`/w/${workspace}/tables`);
  const help = page.getByRole("button", { name: "Keyboard shortcuts" });
  const hint = page.getByText("Keyboard shortcuts", { exact: true });
  await help.hover();
  await expect(hint).toBeVisible();
  await page.mouse.move(0, 0);
  await expect(hint).toHaveCount(0);
  await page.getByRole("button", { name: /Search or jump/ }).focus();
  await page.keyboard.press("Tab");
  await expect(help).toBeFocused();
  await expect(hint).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(hint).toHaveCount(0);
  await expect(help).toBeFocused();
});
