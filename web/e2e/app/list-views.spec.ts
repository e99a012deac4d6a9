import { type BrowserContext, expect, type Page, test } from "@playwright/test";
import { expectAccessible, hold, says, watch } from "../support";
import { enter } from "./people";

const views = (page: Page) => page.getByRole("button", { name: /^Views/ });
const item = (page: Page, name: string) => page.getByRole("menuitem", { name });
const rows = (page: Page) => page.locator("[data-row]");

/** Drafts orders whose numbers begin with the prefix, so that no other test's orders match. */
async function draft(context: BrowserContext, workspace: string, prefix: string, count: number) {
  const answer = await context.request.post(`/api/app/workspaces/${workspace}/purchase-order-lines`, {
    data: {
      lines: Array.from({ length: count }, (_, n) => ({
        order_no: `${prefix}-${n}`,
        sku: `${prefix}-${n}`,
        quantity_ordered: "1",
      })),
    },
  });
  expect(answer.status()).toBe(201);
}

/** Saves the list's filter as a view, and waits until the address names the view. */
async function save(page: Page, name: string, { shared = false } = {}) {
  await views(page).click();
  await item(page, "Save as a new view…").click();
  const dialog = page.getByRole("dialog", { name: "Save a view" });
  await dialog.getByLabel("Name").fill(name);
  if (shared) await dialog.getByRole("checkbox").click();
  await dialog.getByRole("button", { name: "Save view" }).click();
  await expect(page.getByRole("button", { name, exact: true })).toBeVisible();
  await expect(page).toHaveURL(/[?&]view=[0-9a-f-]{36}$/);
}

test("a filter of orders is saved, chosen again, changed and deleted", async ({ page, context }) => {
  const faults = watch(page);
  const workspace = await enter(context, "buyer");
  const prefix = `LV${Date.now()}`;
  const name = `Drafts of ${prefix}`;
  await draft(context, workspace, prefix, 2);
  const list = `/w/${workspace}/purchase-orders`;
  await page.goto(`${list}?tab=draft&text=${prefix}&sort=number&pages=2`);
  await expect(rows(page)).toHaveCount(2);
  await save(page, name);
  // The number of pages shown is not saved.
  const names = (url: URL) => [...url.searchParams.keys()].sort().join();
  await expect(page).toHaveURL((url) => names(url) === "sort,tab,text,view");

  await page.goto(list);
  await expect(views(page)).toBeVisible();
  await views(page).click();
  await item(page, name).click();
  await expect(page).toHaveURL((url) => names(url) === "sort,tab,text,view");
  await expect(page.getByRole("searchbox", { name: "Search orders" })).toHaveValue(prefix);
  await expect(page.getByRole("tab", { name: /^Draft/ })).toHaveAttribute("aria-selected", "true");
  await expect(rows(page)).toHaveCount(2);
  await expect(rows(page).first()).toContainText(`${prefix}-0`);

  // Another filter marks the view as changed until it is saved, also after a reload.
  await page.getByRole("searchbox", { name: "Search orders" }).fill(`${prefix}-1`);
  await expect(page.getByRole("button", { name: `${name} changed` })).toBeVisible();
  await page.reload();
  await expect(rows(page)).toHaveCount(1);
  await page.getByRole("button", { name: `${name} changed` }).click();
  await says(page, `“${name}” is saved`, () => item(page, "Save the changes").click());
  await expect(page.getByRole("button", { name, exact: true })).toBeVisible();

  await page.getByRole("button", { name, exact: true }).click();
  await item(page, "The whole list").click();
  await expect(page).toHaveURL(new RegExp(`${list}$`));
  await views(page).click();
  await item(page, name).click();
  await expect(rows(page)).toHaveCount(1);
  await page.getByRole("button", { name, exact: true }).click();
  await says(page, "The view is deleted", () => item(page, "Delete the view").click());
  await expect(page).toHaveURL(new RegExp(`${list}$`));
  await views(page).click();
  await expect(item(page, "The whole list")).toBeVisible();
  await expect(item(page, name)).toHaveCount(0);
  expect(faults).toEqual([]);
});

test("a shared view is everybody's to use and to find; few may change it", async ({
  page,
  context,
  browser,
  baseURL,
}) => {
  const workspace = await enter(context, "buyer");
  const word = `Quarrel${Date.now()}`;
  await page.goto(`/w/${workspace}/purchase-orders?tab=overdue`);
  await save(page, `${word} own`);
  await page.goto(`/w/${workspace}/purchase-orders?tab=overdue`);
  await save(page, `${word} shared`, { shared: true });

  const other = await browser.newContext(baseURL ? { baseURL } : {});
  await enter(other, "viewer");
  const theirs = await other.newPage();
  await theirs.goto(`/w/${workspace}/members`);
  await theirs.getByRole("heading", { name: "Members", level: 1 }).waitFor();
  await theirs.keyboard.press("ControlOrMeta+k");
  await theirs.getByRole("combobox", { name: "Search commands" }).fill(word);
  const found = theirs.getByRole("group", { name: "Saved views" }).getByRole("option");
  await expect(found).toHaveCount(1);
  await expect(found).toContainText(`${word} shared`);
  await theirs.keyboard.press("Enter");
  await expect(theirs).toHaveURL(/\/purchase-orders\?tab=overdue&view=[0-9a-f-]{36}$/);
  const button = theirs.getByRole("button", { name: `${word} shared` });
  await button.click();
  await expect(item(theirs, "Copy the link")).toBeVisible();
  await expect(item(theirs, `${word} own`)).toHaveCount(0);
  for (const forbidden of ["Rename…", "Make private", "Delete the view"])
    await expect(item(theirs, forbidden)).toHaveCount(0);
  await expectAccessible(theirs, { overlay: true });
  await theirs.keyboard.press("Escape");
  // A changed shared view can be saved as a new view, but not overwritten.
  await theirs.getByRole("tab", { name: /^Ordered/ }).click();
  await theirs.getByRole("button", { name: `${word} shared changed` }).click();
  await expect(item(theirs, "Save as a new view…")).toBeVisible();
  await expect(item(theirs, "Save the changes")).toHaveCount(0);
  await other.close();

  await page.getByRole("button", { name: `${word} shared` }).click();
  await says(page, `“${word} shared” is saved`, () => item(page, "Make private").click());
  await page.keyboard.press("ControlOrMeta+k");
  await page.getByRole("combobox", { name: "Search commands" }).fill("suppliers");
  await expect(page.getByRole("group", { name: "Tables" }).getByRole("option")).toContainText(["Suppliers"]);
});

test("whoever saw an older version of a view is told so, and nothing is lost", async ({ page, context }) => {
  const workspace = await enter(context, "admin");
  const name = `Stale ${Date.now()}`;
  await page.goto(`/w/${workspace}/audit?what=key.issued`);
  await save(page, name);
  const id = new URL(page.url()).searchParams.get("view");
  const change = (version: number, body: object) =>
    context.request.patch(`/api/app/workspaces/${workspace}/lists/audit/views/${id}`, {
      headers: { "If-Match": `"${version}"` },
      data: body,
    });

  expect((await change(1, { shared: true })).status()).toBe(200);
  await page.getByRole("button", { name }).click();
  await item(page, "Share with everybody").click();
  const told = page.getByRole("region", { name: "Notifications" });
  await expect(told).toContainText("The view was not changed");
  await expect(told).toContainText("Somebody has changed this view in the meantime");
  // The menu shows the current version.
  await page.getByRole("button", { name, exact: true }).click();
  await expect(item(page, "Make private")).toBeVisible();

  await item(page, "Rename…").click();
  const dialog = page.getByRole("dialog", { name: "Rename the view" });
  await dialog.getByLabel("Name").fill(`${name} mine`);
  expect((await change(2, { name: `${name} theirs` })).status()).toBe(200);
  await dialog.getByRole("button", { name: "Rename" }).click();
  await expect(dialog.getByRole("alert")).toContainText(`${name} theirs`);
  await dialog.getByRole("button", { name: "Keep mine" }).click();
  await expect(dialog).toHaveCount(0);
  await expect(page.getByRole("button", { name: `${name} mine` })).toBeVisible();
  expect((await change(4, { shared: false })).status()).toBe(200);
});

test("views are chosen with the keyboard alone, however late they come", async ({ page, context }) => {
  const workspace = await enter(context, "admin");
  const name = `A keyboard ${Date.now()}`;
  const address = `/api/app/workspaces/${workspace}/lists/keys/views`;
  const made = await context.request.post(address, {
    data: { name, definition: { search: { ended: "true" } } },
  });
  expect(made.status()).toBe(201);
  await page.goto(`/w/${workspace}/keys`);
  await views(page).waitFor();
  const late = await hold(page, /\/lists\/keys\/views$/);
  await views(page).press("Enter");
  await late.asked;
  await expect(item(page, "Loading the views…")).toBeVisible();
  late.release();
  await expect(item(page, name)).toBeVisible();
  await page.keyboard.press("Home");
  await expect(item(page, "The whole list")).toBeFocused();
  await page.keyboard.type("A keyb");
  await expect(item(page, name)).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/keys\?ended=true&view=/);
  await expect(page.getByRole("tab", { name: /^Ended/ })).toHaveAttribute("aria-selected", "true");
  await expect(page.getByRole("button", { name })).toBeFocused();
});

for (const [path, search] of [
  ["purchase-orders", "?tab=overdue"],
  ["arrivals", "?month=2026-01"],
  ["failures", "?status=ignored"],
  ["failures/rows", "?table=orders"],
  ["imports", "?table=orders"],
  ["keys", "?ended=true"],
  ["tokens", "?ended=true"],
  ["audit", "?since=7d"],
] as const)
  test(`the address of ${path} is a view, on a phone and in the dark, too`, async ({ page, context }) => {
    const faults = watch(page);
    const workspace = await enter(context, "admin");
    if (path === "tokens") {
      const made = await context.request.post(`/api/app/workspaces/${workspace}/tokens`, {
        data: { label: "Of the views", scopes: ["read"] },
      });
      expect(made.status()).toBe(201);
    }
    await page.setViewportSize({ width: 390, height: 844 });
    await page.addInitScript(() => localStorage.setItem("quayside.theme", "dark"));
    const name = `${path} ${Date.now()}`;
    await page.goto(`/w/${workspace}/${path}${search}`);
    await save(page, name);
    await expect(page).toHaveURL((url) => url.search.startsWith(`${search}&view=`));
    const saved = page.url();
    await page.getByRole("button", { name, exact: true }).click();
    await item(page, "The whole list").click();
    await expect(page).toHaveURL(new RegExp(`/${path}$`));
    await views(page).click();
    if (path === "audit") await expectAccessible(page, { overlay: true });
    await item(page, name).click();
    await expect(page).toHaveURL(saved);
    await page.getByRole("button", { name, exact: true }).click();
    await item(page, "Delete the view").click();
    await expect(page).toHaveURL(new RegExp(`/${path}$`));
    expect(faults).toEqual([]);
  });
