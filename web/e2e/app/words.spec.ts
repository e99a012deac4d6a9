import { type APIRequestContext, type BrowserContext, expect, type Page, test } from "@playwright/test";
import { expectAccessible, expectNoSidewaysScroll, watch } from "../support";
import { enter, send } from "./people";

// The browser is English and in another time zone: the German format comes from the workspace alone.
test.use({ timezoneId: "America/New_York" });

/** A workspace with a German locale and Berlin's time zone. */
async function german(context: BrowserContext): Promise<string> {
  await enter(context, "empty");
  const person = await (await context.request.get("/api/app/session")).json();
  const answer = await context.request.post(`/api/app/tenants/${person.tenants[0].id}/workspaces`, {
    data: {
      name: `Zweite Halle ${Date.now()}`,
      locale: "de-DE",
      time_zone: "Europe/Berlin",
      base_currency: "EUR",
    },
  });
  expect(answer.status(), await answer.text()).toBe(201);
  return (await answer.json()).id;
}

/** A product that was launched on the 15th in Berlin, while it was the 14th further west. */
async function product(context: BrowserContext, request: APIRequestContext, workspace: string) {
  const made = await context.request.post(`/api/app/workspaces/${workspace}/keys`, {
    data: { label: "Words", scope: "products" },
  });
  expect(made.status()).toBe(201);
  const { secret } = await made.json();
  const record = { sku: "KAFFEE-1", name: "Kaffee", moq: 12, launched_at: "2026-03-14T23:30:00Z" };
  const stored = await send(request, "products", secret, record);
  expect(stored.headers()["ingest-result"]).toBe("created");
  const rows = `/api/app/workspaces/${workspace}/tables/products/rows`;
  return async (column: string) => {
    const { items } = await (await context.request.get(rows)).json();
    return items[0].values[column];
  };
}

const cell = (page: Page, column: number) =>
  page.getByRole("row").filter({ hasText: "KAFFEE-1" }).getByRole("gridcell").nth(column);

test("a German workspace reads and shows numbers and days as Germans write them", async ({
  page,
  context,
  request,
}) => {
  const faults = watch(page);
  const workspace = await german(context);
  const stored = await product(context, request, workspace);
  const filters = encodeURIComponent(JSON.stringify({ launched_at: { lt: "2026-03-15" } }));
  await page.goto(`/w/${workspace}/tables/products?columns=sku,moq,launched_at`);
  // Words are in English, the page's language; the day is Berlin's.
  await expect(page.locator("html")).toHaveAttribute("lang", "en");
  await expect(cell(page, 2)).toHaveText(/^15 Mar 2026, 00:30/);

  const type = async (text: string) => {
    await cell(page, 1).click();
    await page.keyboard.press("Enter");
    await page.getByRole("textbox", { name: "Moq" }).fill(text);
    await page.keyboard.press("Enter");
  };
  await type("1.500");
  await expect(cell(page, 1)).toHaveText("1.500");
  expect(await stored("moq")).toBe("1500");
  await type("1,5");
  await expect(cell(page, 1)).toHaveText("1,5");
  expect(await stored("moq")).toBe("1.5");

  // A number that could be 1,5 or 1500 is not stored; the field asks which is meant.
  await type("1,500");
  const field = page.getByRole("textbox", { name: "Moq" });
  await expect(field).toHaveAccessibleDescription("1,500 — did you mean 1,5 or 1500? Write it that way.");
  await expectAccessible(page);
  expect(await stored("moq")).toBe("1.5");
  await field.fill("1.500,25");
  await page.keyboard.press("Enter");
  await expect(cell(page, 1)).toHaveText("1.500,25");

  // Filters read and show numbers the same way; a day is a whole day in Berlin.
  await page.keyboard.press("f");
  await page.getByRole("textbox", { name: "Which column" }).fill("moq");
  await page.keyboard.press("Enter");
  await page.getByRole("textbox", { name: "Value" }).fill("1,500");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("textbox", { name: "Value" })).toHaveAccessibleDescription(/did you mean/);
  await page.getByRole("textbox", { name: "Value" }).fill("1.500,25");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("button", { name: "Moq is 1.500,25" })).toBeVisible();
  await expect(page.getByText("1 row", { exact: true })).toBeVisible();

  await page.goto(`/w/${workspace}/tables/products?columns=sku,moq,launched_at&filters=${filters}`);
  const chip = page.getByRole("button", { name: "Launched at is before 15 Mar 2026" });
  await expect(page.getByText("No row of Products matches the filters.")).toBeVisible();
  await chip.click();
  await expect(page.getByLabel("Value")).toHaveValue("2026-03-15");
  await page.getByRole("combobox", { name: "How" }).click();
  await page.getByRole("option", { name: "is on or before" }).click();
  await page.getByRole("button", { name: "Apply" }).click();
  await expect(cell(page, 2)).toHaveText(/^15 Mar 2026, 00:30/);
  await expect(page.getByRole("button", { name: "Launched at is on or before 15 Mar 2026" })).toBeVisible();
  expect(faults).toEqual([]);
});

test("an order in a German workspace: 1.500 pieces are fifteen hundred", async ({ page, context }) => {
  const workspace = await german(context);
  await page.goto(`/w/${workspace}/purchase-orders/new`);
  await page.getByRole("button", { name: "Enter lines by hand" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Order number").fill("B-1");
  await dialog.getByLabel("Article of line 1").fill("KAFFEE-1");
  await page.keyboard.press("Escape");
  const quantity = dialog.getByLabel("Quantity of line 1");
  await quantity.fill("1,500");
  await dialog.getByLabel("Price of line 1").fill("1,5");
  await dialog.getByRole("button", { name: "Draft 1 line" }).click();
  await expect(quantity).toBeFocused();
  await expect(quantity).toHaveAccessibleDescription(/did you mean 1,5 or 1500\?/);
  await expectNoSidewaysScroll(page);
  await quantity.fill("1.500");
  await dialog.getByRole("button", { name: "Draft 1 line" }).click();

  await expect(page.getByRole("heading", { level: 1, name: "B-1" })).toBeVisible();
  await expect(page.getByRole("button", { name: /^1\.500\s*, edit quantity ordered/ })).toBeVisible();
  await expect(page.getByText("2.250,00 €").first()).toBeVisible();
  const path = `/api/app/workspaces/${workspace}/purchase-orders/B-1`;
  const [line] = (await (await context.request.get(path)).json()).items;
  expect(Number(line.quantity_ordered)).toBe(1500);
  expect(Number(line.price_per_unit)).toBe(1.5);
});

test("a fault of the page is called that; a server that does not answer is called that", async ({
  page,
  context,
}) => {
  const workspace = await enter(context, "buyer");
  const orders = new RegExp(`/workspaces/${workspace}/purchase-orders\\?`);
  await page.route(orders, (route) => route.fulfill({ json: { items: [{ order_no: "PO-1" }] } }));
  await page.goto(`/w/${workspace}/purchase-orders`);
  await expect(page.getByRole("heading", { name: "This page has an error" })).toBeVisible();
  await expect(page.getByText("did not answer")).toHaveCount(0);
  await page.getByText("Details", { exact: true }).click();
  await expect(page.getByText(/^TypeError: /)).toBeVisible();
  await expectAccessible(page);

  await page.unroute(orders);
  await page.getByRole("button", { name: "Reload" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Purchase orders" })).toBeVisible();

  await page.route(orders, (route) => route.abort());
  await page.reload();
  const note = page.getByRole("alert").filter({ hasText: "The server did not answer" });
  await expect(note.getByRole("button", { name: "Try again" })).toBeVisible();
});
