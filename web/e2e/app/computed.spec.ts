import { expect, type Page, test } from "@playwright/test";
import { expectAccessible, expectNoSidewaysScroll, settled, watch } from "../support";
import { makeArticle } from "./lines";
import { enter, makeKey, send } from "./people";

const grid = (page: Page) => page.getByRole("grid");
const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10); // the demo's zone is UTC
const yesterday = () => dayOf(Date.now() - 24 * 60 * 60 * 1000);

test("a computed view is read as of a day, and not edited", async ({ page, context }) => {
  const faults = watch(page);
  const workspace = await enter(context, "admin");
  await page.goto(`/w/${workspace}/tables`);
  await page.getByRole("link", { name: /^Weekly sales\s*computed/ }).click();
  await expect(
    grid(page)
      .getByText(/^\d{4}-W\d\d$/)
      .first(),
  ).toBeVisible();
  await expect(page.getByLabel("As of")).toHaveValue(dayOf(Date.now()));
  await expect(page.getByRole("button", { name: "New record" })).toHaveCount(0);
  await expectAccessible(page);
  await page.screenshot({ path: "e2e/screenshots/weekly-sales.png" });

  await page.getByLabel("As of").fill(yesterday());
  await expect(page).toHaveURL(/as_of=/);
  await expect(page.getByRole("link", { name: "CSV" })).toHaveAttribute(
    "href",
    new RegExp(`as_of=${yesterday()}`),
  );
  await grid(page).getByRole("gridcell").first().click();
  await page.keyboard.press("Enter");
  await expect(page.getByText(/is computed and cannot be edited/)).toBeVisible();
  await page.keyboard.press("o");
  const drawer = page.getByRole("dialog");
  await expect(drawer.getByText("The first day of the week.")).toBeVisible();
  await expect(drawer.getByText("History")).toHaveCount(0);
  await page.keyboard.press("Escape");

  await page.getByLabel("As of").fill("2001-01-01");
  await expect(page.getByText("Weekly sales has no rows as of this day")).toBeVisible();
  await expectAccessible(page);
  expect(faults).toEqual([]);
});

test("expected demand and seasons are shown as of any day, also on a phone", async ({ page, context }) => {
  const faults = watch(page);
  const workspace = await enter(context, "viewer");
  for (const [slug, column] of [
    ["product_demand", "Forecast 30"],
    ["seasonality", "Index"],
  ]) {
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(`/w/${workspace}/tables/${slug}`);
    await expect(page.getByRole("columnheader", { name: column, exact: true })).toBeVisible();
    expect(await grid(page).getByRole("row").count()).toBeGreaterThan(10);
    await expect(page.getByLabel("As of")).toHaveValue(dayOf(Date.now()));
    await expect(page.getByRole("button", { name: "By article" })).toHaveCount(0);
    await page.getByLabel("As of").fill(yesterday());
    await expect(page).toHaveURL(/as_of=/);
    expect(await grid(page).getByRole("row").count()).toBeGreaterThan(10);
    await expectAccessible(page);
    await page.screenshot({ path: `e2e/screenshots/${slug}.png` });
    await page.setViewportSize({ width: 390, height: 800 });
    await expectNoSidewaysScroll(page);
  }
  expect(faults).toEqual([]);
});

test("a sale that was sent is in its article's week", async ({ page, context, request }) => {
  const workspace = await enter(context, "admin");
  const { sku: name, id: product } = await makeArticle(context, workspace);
  const key = await makeKey(context, workspace, "*", name);
  for (const [slug, record] of [
    [
      "orders",
      {
        external_id: name,
        ordered_at: `${yesterday()}T12:00:00Z`,
        status: "open",
        currency: "EUR",
        total: 70,
      },
    ],
    [
      "order_line_items",
      { external_id: name, order_id: name, product_id: name, name, quantity: 7, unit_price: 10 },
    ],
  ] as const) {
    expect((await send(request, slug, key, record)).status()).toBe(200);
  }
  await expect(async () => {
    await page.goto(`/w/${workspace}/tables/weekly_sales?product=${product}`);
    await settled(page);
    await expect(grid(page).getByRole("gridcell", { name: "€70.00", exact: true })).toBeVisible({
      timeout: 2000,
    });
  }).toPass();
  await expect(grid(page).getByRole("gridcell", { name: "7", exact: true }).first()).toBeVisible();
});
