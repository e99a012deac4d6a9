import { type BrowserContext, expect, type Page, test } from "@playwright/test";
import {
  expectAccessible,
  expectNoSidewaysScroll,
  expectReadable,
  switchTheme,
  views,
  watch,
} from "../support";
import { unique } from "./lines";
import { enter, makeKey, send } from "./people";
import { countPresses } from "./presses";

const part = (page: Page, name: string) =>
  page.locator("section").filter({ has: page.getByRole("heading", { name, exact: true, level: 2 }) });
const figure = (page: Page, name: string) =>
  page.locator("dl > div").filter({ has: page.getByText(name, { exact: true }) });

/** The article of the demo that sold most. */
async function bestSeller(context: BrowserContext, workspace: string) {
  const path = `/api/app/workspaces/${workspace}/tables/product_demand/rows`;
  const params = { sort_by: "units_84", sort_desc: true, limit: 1 };
  const { items } = await (await context.request.get(path, { params })).json();
  return items[0].values as { product_id: string; name: string; sku: string };
}

for (const { name, width, height, theme, other } of views) {
  test(`everything about an article is on one page, on a ${name}`, async ({ page, context }) => {
    const faults = watch(page);
    await page.setViewportSize({ width, height });
    await page.addInitScript((value) => localStorage.setItem("quayside.theme", value), theme);
    const workspace = await enter(context, "viewer");
    const article = await bestSeller(context, workspace);
    await page.goto(`/w/${workspace}/products/${article.product_id}`);
    await expect(page.getByRole("heading", { level: 1 })).toContainText(article.name);
    await expect(page.getByText(article.sku, { exact: true }).first()).toBeVisible();
    for (const label of ["Available", "Committed", "Incoming", "Days of cover", "Runs out on", "Margin"])
      await expect(figure(page, label)).toBeVisible();
    await expect(figure(page, "Days of cover").locator("dd").first()).toHaveText(/^[\d.,]+$/);
    for (const heading of [
      "Sales and forecast",
      "Stock and arrivals",
      "Orders and receipts",
      "Price history",
      "Supplier's punctuality",
      "Sales and customers",
      "Family",
      "Purchasing settings",
      "Failed imports",
      "Activity",
      "All fields",
    ])
      await expect(part(page, heading)).toBeVisible();
    await expect(page.getByRole("figure", { name: "Units sold by week" })).toBeVisible();
    await expect(page.getByRole("figure", { name: "Stock", exact: true })).toBeVisible();
    await expect(page.locator(".skeleton")).toHaveCount(0);
    await part(page, "All fields").getByRole("button", { name: "Show" }).click();
    await expect(part(page, "All fields").getByText("Identity key")).toBeVisible();
    await part(page, "All fields").getByRole("button", { name: "Hide" }).click();
    await expectNoSidewaysScroll(page);
    await expectAccessible(page);
    await page.screenshot({ path: `e2e/screenshots/article-${name}-${theme}.png`, fullPage: true });
    await switchTheme(page, other);
    await expectReadable(page);
    await page.screenshot({ path: `e2e/screenshots/article-${name}-${other}.png`, fullPage: true });
    expect(faults).toEqual([]);
  });
}

test("figures lead to their rows, and an article is found from its record and the palette", async ({
  page,
  context,
}) => {
  const workspace = await enter(context, "admin");
  const article = await bestSeller(context, workspace);
  await page.goto(`/w/${workspace}/tables/products?record=${article.product_id}`);
  await page.getByRole("link", { name: "Open the article's page" }).click();
  await expect(page).toHaveURL(new RegExp(`/products/${article.product_id}$`));
  await part(page, "Sales and customers").getByRole("link", { name: "Order lines" }).click();
  await expect(page).toHaveURL(/tables\/order_line_items\?filters=/);
  await expect(page.getByRole("grid").getByRole("row").nth(1)).toBeVisible();

  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill(article.sku);
  await page
    .getByRole("option", { name: new RegExp(article.sku) })
    .first()
    .click();
  await expect(page).toHaveURL(/\/products\/[0-9a-f-]{36}$/);
});

test("stock says who reported it, and what was received since", async ({ page, context, request }) => {
  const workspace = await enter(context, "admin");
  const name = unique("article");
  const label = `Shop sync ${Date.now() % 1_000_000}`;
  const key = await makeKey(context, workspace, "*", label);
  const sent = async (slug: string, record: unknown) =>
    expect((await send(request, slug, key, record)).status()).toBe(200);
  await sent("suppliers", { external_id: name, name });
  await sent("products", { external_id: name, sku: name, name, supplier_id: name, stock_available: 30 });
  const filters = JSON.stringify({ external_id: name });
  const products = `/api/app/workspaces/${workspace}/tables/products/rows`;
  const { items } = await (await context.request.get(products, { params: { filters } })).json();
  await page.goto(`/w/${workspace}/products/${items[0].id}`);
  await expect(figure(page, "Available")).toContainText(new RegExp(`30.*from ${label}`));
  await expect(figure(page, "Available")).not.toContainText("received since");
  await expect(part(page, "Orders and receipts")).toContainText("It was never ordered.");

  const order = unique("order");
  const year = new Date().getFullYear() + 2;
  await sent("purchase_order_lines", {
    external_id: name,
    order_no: order,
    sku: name,
    product_id: name,
    supplier_id: name,
    status: "partially_received",
    quantity_ordered: 40,
    quantity_received: 27,
    price_per_unit: "2.50",
    currency: "EUR",
    expected_arrival_date: `${year}-01-01`,
  });
  await page.reload();
  await expect(figure(page, "Available")).toContainText(/57.*; 27 received since/);
  await expect(figure(page, "Incoming")).toContainText(new RegExp(`13.*${year}`));
  await expect(part(page, "Activity")).toContainText(`${label} sent`);
  await part(page, "Orders and receipts").getByRole("link", { name: order }).first().click();
  await expect(page.getByRole("dialog")).toBeVisible(); // the line's details, which hide the page from the reader
  await page.keyboard.press("Escape");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(order);
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await page.getByRole("row").getByRole("link", { name }).click();
  await expect(page).toHaveURL(new RegExp(`/products/${items[0].id}$`));
});

test("an article leads to its supplier, an open order and back, and Insights to a customer", async ({
  page,
  context,
  request,
}) => {
  const workspace = await enter(context, "admin");
  const name = unique("pages");
  const key = await makeKey(context, workspace, "*", name);
  const sent = async (slug: string, record: unknown) =>
    expect((await send(request, slug, key, record)).status()).toBe(200);
  await sent("suppliers", {
    external_id: name,
    name: `${name} Ltd`,
    email: "sales@example.com",
    currency: "EUR",
  });
  await sent("products", { external_id: name, sku: name, name, supplier_id: name });
  const order = unique("order");
  const line = { order_no: order, sku: name, product_id: name, supplier_id: name, status: "ordered" };
  const late = { quantity_ordered: 4, price_per_unit: "2.50", expected_arrival_date: "2024-01-01" };
  await sent("purchase_order_lines", { external_id: `${name}-1`, ...line, ...late, currency: "EUR" });
  await sent("purchase_order_lines", { external_id: `${name}-2`, ...line, ...late, currency: "USD" });
  const filters = JSON.stringify({ external_id: name });
  const products = `/api/app/workspaces/${workspace}/tables/products/rows`;
  const { items } = await (await context.request.get(products, { params: { filters } })).json();

  // Every step is one press.
  await page.goto(`/w/${workspace}/products/${items[0].id}`);
  await page
    .getByRole("link", { name: `${name} Ltd` })
    .first()
    .click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(`${name} Ltd`);
  await expect(figure(page, "Still to come")).toContainText(/€10\.00.*(\$|US\$)10\.00/);
  await expect(figure(page, "Late now")).toContainText("2 lines late");
  await expect(page.getByRole("link", { name: "sales@example.com" })).toHaveAttribute("href", /^mailto:/);
  await expect(page.getByRole("link", { name: "New order" })).toHaveAttribute("href", /new\?supplier=/);
  await expect(page.getByRole("table", { name: "Articles of this supplier" })).toContainText(name);
  await part(page, "Open orders").getByRole("link", { name: order }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(order);
  await page
    .getByRole("link", { name: `${name} Ltd` })
    .first()
    .click();
  await part(page, "Open orders").getByRole("link", { name }).nth(1).click();
  await expect(page).toHaveURL(new RegExp(`/products/${items[0].id}$`));

  await page.goto(`/w/${workspace}/insights?tab=customers`);
  const customer = page.getByRole("table", { name: "Customers due to order" }).getByRole("link").first();
  const called = (await customer.textContent()) ?? "";
  await customer.click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(called);
  await expect(figure(page, "Next order")).toContainText(/Due|Overdue/);
  await expect(page.getByRole("figure", { name: "Sales by month" })).toBeVisible();
  await part(page, "What they usually buy").getByRole("link").first().click();
  await expect(page).toHaveURL(/\/products\/[0-9a-f-]{36}$/);
});

test("Today leads to a supplier's late orders and last prices, and to a customer's next order, in two presses each", async ({
  page,
  context,
  request,
}) => {
  const workspace = await enter(context, "admin");
  const name = unique("walk");
  const key = await makeKey(context, workspace, "*", name);
  const sent = async (slug: string, record: unknown) =>
    expect((await send(request, slug, key, record)).status()).toBe(200);
  await sent("suppliers", { external_id: name, name: `${name} Works` });
  await sent("products", { external_id: name, sku: name, name, supplier_id: name });
  const line = { sku: name, product_id: name, supplier_id: name, status: "ordered", currency: "EUR" };
  const [late, next] = [unique("late"), unique("next")];
  for (const [order_no, price_per_unit, expected_arrival_date] of [
    [late, "2.50", "2024-01-01"],
    [next, "2.80", "2099-01-01"],
  ])
    await sent("purchase_order_lines", {
      ...line,
      external_id: order_no,
      order_no,
      price_per_unit,
      expected_arrival_date,
      quantity_ordered: 4,
    });
  const due = `/api/app/workspaces/${workspace}/tables/customer_reorder_due/rows`;
  const params = { sort_by: "orders", sort_desc: true, limit: 1 };
  const { items } = await (await context.request.get(due, { params })).json();
  const customer = `/api/app/workspaces/${workspace}/customers/${items[0].values.customer_id}`;
  const { called } = await (await context.request.get(customer)).json();

  const presses = countPresses(page);
  const find = async (words: string) => {
    await page.goto(`/w/${workspace}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await presses.key("ControlOrMeta+k");
    await page.getByRole("combobox", { name: "Search commands" }).fill(words);
    await expect(page.getByRole("option", { name: words }).first()).toHaveAttribute("aria-selected", "true");
    await presses.key("Enter");
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(words);
  };

  await find(`${name} Works`);
  await expect(
    part(page, "Open orders").getByRole("listitem").filter({ hasText: late }).first(),
  ).toContainText("1 line late");
  await expect(part(page, "Price changes")).toContainText("€2.80");
  presses.expectAtMost(2);

  await find(called);
  await expect(figure(page, "Next order")).toContainText(/Due|Overdue|expected/i);
  await expect(figure(page, "Last order")).toContainText(/\d{4}/);
  await expect(part(page, "What they usually buy").getByRole("link").first()).toBeVisible();
  presses.expectAtMost(2);
});
