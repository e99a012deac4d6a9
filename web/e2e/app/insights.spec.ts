import { readFile } from "node:fs/promises";
import { expect, type Page, test } from "@playwright/test";
import { watch } from "../support";
import { makeArticle } from "./lines";
import { enter, makeKey, send } from "./people";

const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10); // the demo's zone is UTC
const yesterday = () => dayOf(Date.now() - 24 * 60 * 60 * 1000);

/** Each insight, and the name of its chart. */
const insights = [
  { tab: "Sales", chart: "Net sales by week" },
  { tab: "Seasons", chart: "Demand by family and month" },
  { tab: "Families", chart: "Units of families, last 4 weeks" },
  { tab: "Demand", chart: "Units sold by week" },
  { tab: "Customers due", chart: "Customers by the week in which they are expected" },
] as const;

const figure = (page: Page, name: string | RegExp) => page.getByRole("figure", { name, exact: true });

// pages.spec.ts checks every insight in both themes, on a desk and on a phone.
test("every insight has its chart, and says how current it is", async ({ page, context }) => {
  const faults = watch(page);
  const workspace = await enter(context, "viewer");
  await page.goto(`/w/${workspace}`);
  await page.getByRole("link", { name: "Insights" }).click();
  for (const { tab, chart } of insights) {
    await page.getByRole("tab", { name: tab }).click();
    await expect(figure(page, chart)).toBeVisible();
    await expect(page.locator("[data-figures]")).toContainText("Sales as of");
    await expect(figure(page, chart).getByRole("button", { name: "CSV of" })).toBeVisible();
    await expect(figure(page, chart).getByRole("button", { name: "PNG of" })).toBeVisible();
  }
  expect(faults).toEqual([]);
});

test("a chart is a table and a file, and leads to its rows", async ({ page, context }) => {
  const workspace = await enter(context, "viewer");
  await page.goto(`/w/${workspace}/insights`);
  const chart = figure(page, "Net sales by week");
  for (const [tool, ending] of [
    ["CSV", "csv"],
    ["PNG", "png"],
  ]) {
    const saved = page.waitForEvent("download");
    await chart.getByRole("button", { name: `${tool} of` }).click();
    const file = await saved;
    expect(file.suggestedFilename()).toMatch(new RegExp(`\\.${ending}$`));
    const bytes = await readFile(await file.path());
    if (ending === "csv") expect(bytes.toString()).toMatch(/^Week of,This year.*\r\n\d{4}-\d\d-\d\d,/);
    else expect(bytes.subarray(1, 4).toString()).toBe("PNG");
  }
  await chart.getByRole("button", { name: "Table of" }).click();
  await chart.getByRole("table").getByRole("link").last().click();
  await expect(page).toHaveURL(/tables\/orders\?filters=.*ordered_at/);
  await expect(page.getByRole("grid").getByRole("row").nth(1)).toBeVisible();

  // With the keyboard, from the chart itself.
  await page.goBack();
  await page.getByRole("slider", { name: "Point of Units by week" }).focus();
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/tables\/orders\?filters=.*ordered_at/);
});

test("an article is chosen for sales and demand, and leads to its page", async ({ page, context }) => {
  const workspace = await enter(context, "viewer");
  await page.goto(`/w/${workspace}/insights?tab=demand`);
  const list = page.getByRole("table", { name: "Articles by expected demand" });
  const second = list.getByRole("row").nth(2).getByRole("link");
  const name = (await second.textContent()) ?? "";
  await second.click();
  await expect(page).toHaveURL(/product=/);
  await expect(page.getByRole("heading", { name })).toBeVisible();
  await expect(figure(page, "Stock")).toBeVisible();

  await page.getByRole("tab", { name: "Sales" }).click();
  await expect(figure(page, /^Net sales by week of /)).toBeVisible();
  await page.getByRole("button", { name: "All articles" }).click();
  await expect(figure(page, "Net sales by week")).toBeVisible();
  const field = page.getByRole("combobox", { name: "Article" });
  await field.fill(name);
  await expect(page.locator("datalist option").first()).toHaveAttribute("value", new RegExp(name));
  await field.press("Enter");
  await expect(figure(page, /^Net sales by week of /)).toBeVisible();
  await page.getByRole("link", { name: "See the article" }).click();
  await expect(page).toHaveURL(/\/products\/[^/?]+$/);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(name);
});

test("a sale that was sent moves the chart that is open", async ({ page, context, request }) => {
  const workspace = await enter(context, "admin");
  const { sku: name, id: product } = await makeArticle(context, workspace);
  const key = await makeKey(context, workspace, "*", name);
  const sell = async (order: string, quantity: number, line: Record<string, unknown>) => {
    for (const [slug, record] of [
      [
        "orders",
        {
          external_id: order,
          ordered_at: `${yesterday()}T12:00:00Z`,
          status: "open",
          currency: "EUR",
          total: 70,
        },
      ],
      ["order_line_items", { external_id: order, order_id: order, name, quantity, unit_price: 10, ...line }],
    ] as const)
      expect((await send(request, slug, key, record)).status()).toBe(200);
  };
  await sell(`${name} 1`, 7, { product_id: name });
  await page.goto(`/w/${workspace}/insights?product=${product}`);
  const chart = figure(page, /^Units by week of /);
  await expect(chart).toContainText("7 pcs");
  // The page stays open; the second sale arrives by itself.
  await sell(`${name} 2`, 5, { product_id: name });
  await expect(chart).toContainText("12 pcs");

  // A line that matches no article is said to be missing, and leads to itself.
  await sell(`${name} 3`, 1, { sku: `${name} unknown` });
  const unmatched = page.getByRole("link", { name: /match(es)? no article/ });
  await expect(unmatched).toBeVisible();
  await unmatched.click();
  await expect(page.getByRole("grid").getByText(`${name} unknown`)).toBeVisible();
});
