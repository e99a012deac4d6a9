import { expect, type Locator, type Page, type Route, test } from "@playwright/test";
import { drawn, expectAccessible, signal } from "../support";
import { address, draft, number } from "./orders";
import { enter } from "./people";

type Keys = { items: object[] };

const keysOf = (workspace: string) => `**/api/app/workspaces/${workspace}/keys?*`;

/**
 * Opens the list of keys after adding a key. From then on the test drives the page's clock, and
 * polls get the first answer again, so that nothing else changes the list.
 */
async function openKeys(page: Page) {
  const workspace = await enter(page.context(), "admin");
  const label = `Live ${crypto.randomUUID().slice(0, 8)}`;
  await page.request.post(`/api/app/workspaces/${workspace}/keys`, { data: { label, scope: "suppliers" } });
  const first = await page.request.get(`/api/app/workspaces/${workspace}/keys?limit=200`);
  const keys: Keys = await first.json();
  await page.route(keysOf(workspace), (route) => route.fulfill({ json: keys }));
  await page.clock.install();
  await page.goto(`/w/${workspace}/keys`);
  const row = page.getByRole("row").filter({ hasText: label });
  // These tests are not about how long a page takes to load.
  await row.waitFor();
  return { workspace, label, row, keys };
}

/**
 * Adds three keys to the answers of polls from now on, and holds the first such answer back until
 * `land` is called. `land` returns when the page has had time to render the answer.
 */
async function holdPoll(page: Page, workspace: string, { items }: Keys) {
  const asked = signal();
  const held = signal();
  const more = ["a", "b", "c"].map((n) => ({ ...items[0], id: `new-${n}`, label: `Arrived ${n}` }));
  await page.route(keysOf(workspace), async (route) => {
    asked.resolve();
    await held.promise;
    await route.fulfill({ json: { items: [...more, ...items] } });
  });
  await page.clock.fastForward(10_000);
  await asked.promise;
  return async () => {
    const landed = page.waitForResponse(keysOf(workspace));
    held.resolve();
    await (await landed).finished();
    await drawn(page);
  };
}

async function press(page: Page, target: Locator) {
  await target.scrollIntoViewIfNeeded();
  const box = await target.boundingBox();
  if (!box) throw new Error("there is nothing to press");
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
}

const news = (page: Page) => page.getByRole("status").getByRole("button", { name: "3 new" });

test("an answer that lands while a menu's button is pressed loses no click", async ({ page }) => {
  const { workspace, label, row, keys } = await openKeys(page);
  const land = await holdPoll(page, workspace, keys);
  await press(page, row.getByRole("button"));
  await land();
  await page.mouse.up();
  await page.getByRole("menuitem", { name: "Revoke…" }).click();
  const dialog = page.getByRole("alertdialog");
  await expect(dialog).toContainText(`Revoke “${label}”?`);
  // The answer is not lost: it waits until the dialog closes.
  await expect(news(page)).toHaveCount(0);
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expect(news(page)).toBeVisible();
});

test("an answer that lands while a menu's entry is pressed loses no click", async ({ page }) => {
  const { workspace, label, row, keys } = await openKeys(page);
  const land = await holdPoll(page, workspace, keys);
  await row.getByRole("button").click();
  await press(page, page.getByRole("menuitem", { name: "Revoke…" }));
  await land();
  await page.mouse.up();
  await expect(page.getByRole("alertdialog")).toContainText(`Revoke “${label}”?`);
});

test("new rows are announced, and shown when one asks for them", async ({ page }) => {
  const { workspace, row, keys } = await openKeys(page);
  const before = await row.boundingBox();
  const land = await holdPoll(page, workspace, keys);
  await land();
  await expect(news(page)).toBeVisible();
  expect(await row.boundingBox()).toEqual(before);
  const arrived = page.getByRole("row").filter({ hasText: "Arrived" });
  await expect(arrived).toHaveCount(0);
  await expectAccessible(page);
  await news(page).click();
  await expect(arrived).toHaveCount(3);
  await expect(news(page)).toHaveCount(0);
  await expect(page.getByRole("main")).toBeFocused();
});

test("a poll that fails keeps the rows and says how old they are", async ({ page }) => {
  const { workspace, row } = await openKeys(page);
  const before = await row.boundingBox();
  const fail = (route: Route) => route.fulfill({ status: 503, json: {} });
  await page.route(keysOf(workspace), fail);
  const note = page.getByRole("status").filter({ hasText: "Could not be refreshed" });
  await page.clock.fastForward(10_000);
  await expect(note).toContainText("Last refreshed now");
  await page.clock.fastForward(90_000);
  await expect(note).toContainText(/Last refreshed \d minutes? ago/);
  expect(await row.boundingBox()).toEqual(before);
  await expectAccessible(page);
  // The clock is stopped, so only the button can start a request.
  await page.clock.pauseAt(await page.evaluate(() => Date.now() + 1_000));
  await page.unroute(keysOf(workspace), fail);
  const asked = page.waitForRequest(keysOf(workspace));
  await note.getByRole("button", { name: "Try again" }).click();
  await asked;
  await page.clock.resume();
  await expect(note).toHaveCount(0);
  await expect(row).toBeVisible();
});

test("what others say about an order appears, with one request in 15 seconds and none while hidden", async ({
  page,
  context,
}) => {
  const workspace = await enter(context, "buyer");
  const order = number("live");
  await draft(context, workspace, order);
  await page.clock.install();
  let asked = 0;
  page.on("request", (request) => {
    if (request.url().includes("/timeline?")) asked++;
  });
  await page.goto(address(workspace, order));
  const timeline = page.getByRole("list", { name: "Timeline" });
  await expect(timeline).toContainText("drafted");
  const path = `/api/app/workspaces/${workspace}/purchase-orders/${encodeURIComponent(order)}/entries`;
  const said = await context.request.post(path, { data: { kind: "comment", text: "It comes by train" } });
  expect(said.status(), await said.text()).toBe(201);
  asked = 0;
  await page.clock.runFor(15_000);
  expect(asked).toBeLessThanOrEqual(1);
  await page.clock.runFor(10_000);
  await expect(timeline).toContainText("It comes by train");
  await page.evaluate(() => {
    Object.defineProperty(document, "visibilityState", { value: "hidden", configurable: true });
    Object.defineProperty(document, "hidden", { value: true, configurable: true });
    document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
  });
  asked = 0;
  await page.clock.runFor(60_000);
  expect(asked).toBe(0);
});

test("a time is as wide as it can become", async ({ page }) => {
  const { row } = await openKeys(page);
  const time = row.locator("time").last();
  await expect(time).toHaveText(/^now/);
  const before = await time.boundingBox();
  await page.clock.fastForward("59:00");
  await expect(time).toHaveText(/^(58|59) minutes ago/);
  expect(await time.boundingBox()).toEqual(before);
  await page.clock.fastForward("24:00:00");
  await expect(time).toHaveText(/^yesterday/);
  expect(await time.boundingBox()).toEqual(before);
});

test("nothing is asked for while a row is selected", async ({ page }) => {
  const workspace = await enter(page.context(), "admin");
  await page.clock.install();
  await page.goto(`/w/${workspace}/failures/rows`);
  const choice = page.getByRole("row").nth(1).getByRole("checkbox");
  await choice.click();
  await expect(page.getByRole("region", { name: /selected/i })).toBeVisible();
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  await page.clock.fastForward(60_000);
  expect(asked).toEqual([]);
  const again = page.waitForRequest(`**/api/app/workspaces/${workspace}/failures?*`);
  await choice.click();
  await again;
});

test("a menu stays on the side on which it opened while the page is scrolled below it", async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 480 });
  const { row } = await openKeys(page);
  const button = row.getByRole("button");
  await button.evaluate((element) => {
    document.body.style.paddingBlock = "30rem"; // makes the page scrollable
    element.scrollIntoView({ block: "end" });
  });
  await button.click();
  const menu = page.getByRole("menu");
  await expect(menu).toHaveAttribute("data-side", "top");
  await menu.getByRole("menuitem", { name: "Revoke…" }).hover();
  const below = await button.elementHandle();
  const isAbove = () =>
    menu.evaluate(async (element, anchor) => {
      await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
      return element.getBoundingClientRect().bottom < (anchor as Element).getBoundingClientRect().top;
    }, below);
  expect(await isAbove()).toBe(true);
  const before = await button.boundingBox();
  await button.evaluate((element) => element.scrollIntoView({ block: "center" }));
  expect((await button.boundingBox())?.y).not.toBe(before?.y);
  expect(await isAbove()).toBe(true);
});

test("keys work as soon as a menu is left, also while it fades", async ({ page }) => {
  const { row } = await openKeys(page);
  await row.getByRole("button").click();
  await page.getByRole("menuitem").first().waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("ControlOrMeta+k");
  await expect(page.getByRole("combobox", { name: "Search commands" })).toBeFocused();
});

test("a list of choices stays on its side while the page below it grows", async ({ page, context }) => {
  await page.setViewportSize({ width: 1280, height: 640 });
  const workspace = await enter(context, "admin");
  await page.goto(`/w/${workspace}/audit`);
  const button = page.getByRole("combobox").first();
  await button.evaluate((element) => {
    document.body.style.paddingBlock = "40rem"; // makes the page scrollable
    element.scrollIntoView({ block: "end" });
  });
  await button.click();
  const list = page.getByRole("listbox");
  await expect(list).toHaveAttribute("data-side", "top");
  await list.getByRole("option").first().hover();
  await button.evaluate((element) => element.scrollIntoView({ block: "start" }));
  await drawn(page);
  await expect(list).toHaveAttribute("data-side", "top");
});
