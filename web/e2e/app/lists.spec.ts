import { readFileSync } from "node:fs";
import { type BrowserContext, expect, test } from "@playwright/test";
import { hold } from "../support";
import { enter } from "./people";

/** Drafts orders of one line each, and submits them. */
async function pending(context: BrowserContext, workspace: string, prefix: string, count: number) {
  const path = `/api/app/workspaces/${workspace}`;
  const products = (await (await context.request.get(`${path}/purchasable-products`)).json()).items;
  const product = products.find((one: { supplier_id?: string }) => one.supplier_id);
  const numbers = Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
  const lines = numbers.map((order_no) => ({
    order_no,
    product_id: product.id,
    supplier_id: product.supplier_id,
    quantity_ordered: "1",
    price_per_unit: "2.00",
    currency: "EUR",
  }));
  const made = await context.request.post(`${path}/purchase-order-lines`, {
    data: { lines, confirm_on_its_way: true },
  });
  expect(made.status()).toBe(201);
  const refs = (await made.json()).items.map(({ id, version }: { id: string; version: number }) => ({
    id,
    version,
  }));
  const sent = await context.request.post(`${path}/purchase-order-lines/submit`, { data: { lines: refs } });
  expect(sent.ok()).toBe(true);
  return numbers;
}

test("rows of the filter before are dimmed and cannot be acted on", async ({ page, context }) => {
  const workspace = await enter(context, "buyer");
  const prefix = `Former ${Date.now()}`;
  const numbers = await pending(context, workspace, prefix, 2);
  await enter(context, "approver");
  await page.goto(`/w/${workspace}/purchase-orders?tab=pending_approval&text=${encodeURIComponent(prefix)}`);
  const box = page.getByRole("checkbox", { name: `Select ${numbers[0]}` });
  await box.click();
  const bar = page.getByRole("region", { name: "Selected rows" });
  await expect(bar).toContainText("1 selected");

  const late = await hold(page, /\/purchase-orders\?.*text=nothing/);
  await page.getByRole("searchbox", { name: "Search orders" }).fill("nothing like it");
  await late.asked;
  // The old rows are visible, but nothing can be done with them.
  const former = page.locator("[inert]");
  await expect(former).toContainText(String(numbers[0]));
  await expect(bar).toHaveCount(0);
  await former.getByRole("checkbox", { name: `Select ${numbers[1]}` }).click({ force: true });
  await page.keyboard.press("x");
  await expect(bar).toHaveCount(0);
  late.release();
  await expect(page.getByText("No order matches.")).toBeVisible();
});

test("j, k and x go through the orders and select them", async ({ page, context }) => {
  const workspace = await enter(context, "buyer");
  const prefix = `Keys ${Date.now()}`;
  const [first = "", second = ""] = (await pending(context, workspace, prefix, 2)).reverse();
  await enter(context, "approver");
  await page.goto(`/w/${workspace}/purchase-orders?tab=pending_approval&text=${encodeURIComponent(prefix)}`);
  await expect(page.getByRole("link", { name: first })).toBeVisible();
  await page.keyboard.press("j");
  await expect(page.getByRole("link", { name: first })).toBeFocused();
  await page.keyboard.press("j");
  await expect(page.getByRole("link", { name: second })).toBeFocused();
  await page.keyboard.press("x");
  await expect(page.getByRole("checkbox", { name: `Select ${second}` })).toBeChecked();
  await page.keyboard.press("k");
  await page.keyboard.press("x");
  const bar = page.getByRole("region", { name: "Selected rows" });
  await expect(bar).toContainText("2 selected");
  await bar.getByRole("button", { name: "Clear the selection" }).click();
  await expect(bar).toHaveCount(0);
});

test("a day can be typed without losing the field", async ({ page, context }) => {
  const workspace = await enter(context, "admin");
  await page.goto(`/w/${workspace}/audit`);
  await page.getByRole("combobox", { name: "When" }).click();
  await page.getByRole("option", { name: "Between days…" }).click();
  const first = page.getByLabel("First day");
  await first.focus();
  const asked: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/audit?")) asked.push(request.url());
  });
  await page.keyboard.type("03142026", { delay: 20 });
  await expect(first).toHaveValue(/^2026-(03-14|14-03)$|^2026-/);
  await expect(first).toBeFocused();
  await expect(page).toHaveURL(/since=2026-/);
  // A year that is still being typed must not become a filter.
  expect(asked.filter((address) => address.includes("since=0"))).toEqual([]);

  await page.getByRole("button", { name: "Clear" }).click();
  await expect(page).toHaveURL(/\/audit$/);
  await expect(first).toHaveCount(0);
});

test("as much of a list as was shown is there again, and all of it can be selected", async ({
  page,
  context,
}) => {
  const workspace = await enter(context, "buyer");
  const prefix = `Many ${Date.now()}`;
  await pending(context, workspace, prefix, 60);
  await enter(context, "approver");
  const address = `/w/${workspace}/purchase-orders?tab=pending_approval&text=${encodeURIComponent(prefix)}`;
  await page.goto(address);
  const orders = page.getByRole("link", { name: prefix });
  await expect(orders).toHaveCount(50);
  // The file has all matching rows, not only those shown.
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "Every order as CSV" }).click();
  const file = readFileSync(await (await saved).path(), "utf8")
    .trimEnd()
    .split("\r\n");
  expect(file[0]).toBe("Order,Suppliers,Lines,Total,Currency,Next arrival,Flags");
  expect(file.slice(1).map((line) => line.split(",")[0])).toHaveLength(60);
  await page.reload();
  await expect(orders).toHaveCount(50);
  await page.getByRole("button", { name: "Show more" }).click();
  await expect(orders).toHaveCount(60);
  await expect(page).toHaveURL(/pages=2/);
  await page.reload();
  await expect(orders).toHaveCount(60);

  // The action covers every selected order, also those that were never shown.
  await page.goto(`/w/${workspace}/purchase-orders?tab=pending_approval`);
  await page.getByRole("checkbox", { name: "Select all rows shown" }).click();
  const bar = page.getByRole("region", { name: "Selected rows" });
  await expect(bar).toContainText("50 selected");
  const all = bar.getByRole("button", { name: /^Select (all|the first) \d+ that match$/ });
  const selected = Number(/\d+/.exec(await all.innerText())?.[0]);
  expect(selected).toBeGreaterThanOrEqual(60);
  await all.click();
  await expect(bar).toContainText(`${selected} selected`);
  await expect(page.getByRole("row", { selected: true })).toHaveCount(selected);
});

test("the filter is in the address, and finds orders by article", async ({ page, context }) => {
  const workspace = await enter(context, "viewer");
  await page.goto(`/w/${workspace}/purchase-orders`);
  await page.getByRole("tab", { name: /^Overdue/ }).click();
  await expect(page).toHaveURL(/tab=overdue/);
  await page.getByRole("tab", { name: /^All/ }).click();
  await page.getByLabel("Search orders").fill("PO-3101");
  await expect(page).toHaveURL(/text=PO-3101/);
  await expect(page.getByRole("table").getByRole("link")).toHaveCount(1);
  await page.reload();
  await expect(page.getByLabel("Search orders")).toHaveValue("PO-3101");
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Purchase orders" }).click();
  await expect(page.getByLabel("Search orders")).toHaveValue("");
  await expect(page).toHaveURL(/purchase-orders$/);
});
