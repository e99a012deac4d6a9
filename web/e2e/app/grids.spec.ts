import { expect, type Page, test } from "@playwright/test";
import { expectAccessible, watch } from "../support";
import { enter } from "./people";

const grid = (page: Page) => page.getByRole("grid");
// By its text: the name also has the lock's "cannot be edited".
const header = (page: Page, name: string) =>
  grid(page)
    .getByRole("columnheader")
    .filter({ hasText: new RegExp(`^${name}$`) });
const headers = (page: Page) => grid(page).getByRole("columnheader").allInnerTexts();
const first = (page: Page, column: number) =>
  grid(page).locator('[data-row="0"]').getByRole("gridcell").nth(column);

/** Only rows that have a value in a field: some tests send products with less. */
const withValue = (field: string) =>
  `?filters=${encodeURIComponent(JSON.stringify({ [field]: { empty: false } }))}`;

/** The distance of a header from the left edge of the grid. */
async function offset(page: Page, name: string): Promise<number> {
  const [box, cell] = await Promise.all([grid(page).boundingBox(), header(page, name).boundingBox()]);
  return Math.round((cell?.x ?? Number.NaN) - (box?.x ?? 0));
}

test("products show name and SKU first, in sight wherever one scrolls", async ({ page, context }) => {
  const faults = watch(page);
  const workspace = await enter(context, "buyer");
  await page.goto(`/w/${workspace}/tables/products`);
  await grid(page).waitFor();
  expect((await headers(page)).slice(0, 5)).toEqual([
    "Name",
    "SKU",
    "Variant name",
    "Stock available",
    "Stock on hand",
  ]);
  const before = [await offset(page, "Name"), await offset(page, "SKU"), await offset(page, "Variant name")];
  await grid(page).evaluate((box) => box.scrollTo({ left: 600 }));
  await expect.poll(() => offset(page, "Variant name")).toBe((before[2] ?? 0) - 600);
  expect([await offset(page, "Name"), await offset(page, "SKU")]).toEqual(before.slice(0, 2));
  // Pinned cells are opaque, and a cell reached by key is not hidden behind them.
  await first(page, 1).click();
  await page.keyboard.press("ArrowRight");
  await expect.poll(() => offset(page, "Variant name")).toBeGreaterThanOrEqual(before[2] ?? 0);
  await expectAccessible(page);

  await page.setViewportSize({ width: 390, height: 800 });
  await grid(page).evaluate((box) => box.scrollTo({ left: 300 }));
  await expect.poll(() => offset(page, "Name")).toBe(before[0] ?? 0);
  await expect.poll(() => offset(page, "SKU")).toBeLessThan(0);
  expect(faults).toEqual([]);
});

test("linked records are shown by their names, and lead there", async ({ page, context }) => {
  const workspace = await enter(context, "viewer");
  const found = await context.request.get(`/api/app/workspaces/${workspace}/tables/orders/rows`, {
    params: {
      sort_by: "id",
      sort_desc: "true",
      filters: JSON.stringify({ customer_id: { empty: false } }),
      limit: "1",
    },
  });
  const order = (await found.json()) as {
    items: { values: Record<string, string> }[];
    links: Record<string, Record<string, { label: string }>>;
  };
  const { customer_id: id, order_number: number } = order.items[0]?.values ?? {};
  const name = order.links.customer_id?.[id ?? ""]?.label ?? "";
  expect(name).not.toBe("");
  await page.goto(`/w/${workspace}/tables/orders?q=${encodeURIComponent(number ?? "")}`);
  const link = grid(page).getByRole("link", { name });
  await expect(link).toBeVisible();
  await expect(grid(page)).not.toContainText(id ?? "none");
  await link.click();
  await expect(page).toHaveURL(new RegExp(`/customers/${id}$`));
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(name);

  await page.goto(`/w/${workspace}/tables/products${withValue("supplier_id")}`);
  const supplier = grid(page).locator('[data-row="0"] a[data-link]').first();
  await supplier.locator("xpath=..").click({ position: { x: 2, y: 2 } });
  const supplierName = (await supplier.getAttribute("title"))?.split(", ")[0] ?? "none";
  await page.keyboard.press("Control+Enter");
  await expect(page).toHaveURL(/\/suppliers\/[0-9a-f-]{36}$/);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(supplierName);

  await page.goto(`/w/${workspace}/tables/purchase_order_lines`);
  await grid(page).locator('[data-row="0"]').locator('a[href*="purchase-orders"]').click();
  await expect(page).toHaveURL(/\/purchase-orders\/[^/]+$/);
});

test("New makes a record; a refusal stands at its field, and what was typed is kept", async ({
  page,
  context,
}) => {
  const workspace = await enter(context, "buyer");
  // Only this test's suppliers, whatever an earlier test has made.
  const mine = `Mills ${Date.now()}`;
  const filters = encodeURIComponent(JSON.stringify({ name: { contains: mine } }));
  await page.goto(`/w/${workspace}/tables/suppliers?filters=${filters}`);
  await expect(page.getByText("No row of Suppliers matches the filters.")).toBeVisible();
  await page.keyboard.press("n");
  const form = page.getByRole("dialog", { name: "New record" });
  const field = (name: RegExp) => form.getByRole("textbox", { name });
  await field(/^External ID/).fill(`${mine}-1`);
  await field(/^Lead time days/).fill("soon");
  await field(/^Min order value/).fill("a lot");
  await form.getByRole("button", { name: "Save" }).click();
  await expect(form.getByText(/soon.* is not a number/)).toBeVisible();
  await expect(form.getByText(/a lot.* is not a number/)).toBeVisible();
  await expect(field(/^Lead time days/)).toHaveAttribute("aria-invalid", "true");
  await field(/^Lead time days/).fill("7");
  await field(/^Min order value/).fill("");
  await form.getByRole("button", { name: "Save" }).click();
  await expect(form.getByText("Missing required field: name.")).toBeVisible();
  await expect(field(/^Name/)).toHaveAttribute("aria-invalid", "true");
  await expectAccessible(page, { overlay: true });

  await page.reload();
  await expect(form.getByText("Not saved yet")).toBeVisible();
  await expect(field(/^External ID/)).toHaveValue(`${mine}-1`);
  await field(/^Name/).fill(`${mine} first`);
  await field(/^Lead time days/).fill("7.5");
  await form.getByRole("button", { name: "Save" }).click();
  await expect(form).toBeHidden();
  await expect(first(page, 0)).toContainText(`${mine} first`);

  await page.getByRole("button", { name: "New", exact: true }).click();
  await field(/^External ID/).fill(`${mine}-1`);
  await field(/^Name/).fill(`${mine} second`);
  await form.getByRole("button", { name: "Save" }).click();
  await expect(form.getByText(/There is a record with this external_id already/)).toBeVisible();
  await field(/^External ID/).fill(`${mine}-2`);
  await form.getByRole("button", { name: "Save" }).click();
  await expect(form).toBeHidden();
  // The newest row comes first.
  await expect(first(page, 0)).toContainText(`${mine} second`);
  await expect(page.getByText("2 rows")).toBeVisible();

  await page.getByRole("button", { name: "New", exact: true }).click();
  await field(/^External ID/).fill(`${mine}-3`);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Leave without saving" }).click();
  await expect(form).toBeHidden();
  await first(page, 0).click();
  await page.keyboard.press("o");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(`${mine} second`);
  await page.getByRole("link", { name: "Edit" }).click();
  await expect(page.getByRole("dialog").getByText("created").first()).toBeVisible();
  await page.goto(`/w/${workspace}/tables/purchase_order_lines`);
  await grid(page).waitFor();
  await expect(page.getByRole("button", { name: "New", exact: true })).toHaveCount(0);
});

test("a search narrows the table, is in the address, and says when it finds nothing", async ({
  page,
  context,
}) => {
  const workspace = await enter(context, "viewer");
  await page.goto(`/w/${workspace}/tables/products`);
  await grid(page).waitFor();
  await expect(page.getByRole("button", { name: "New", exact: true })).toHaveCount(0);
  const [name, sku] = [await first(page, 0).innerText(), await first(page, 1).innerText()];
  expect(name).not.toBe("");
  await page.keyboard.press("/");
  const field = page.getByRole("searchbox", { name: "Search Products" });
  await expect(field).toBeFocused();
  await page.keyboard.type(sku);
  await expect(page).toHaveURL(/q=/);
  await expect(page.getByText("1 row", { exact: true })).toBeVisible();
  await expect(first(page, 1)).toHaveText(sku);
  await page.reload();
  await expect(field).toHaveValue(sku);
  await expect(page.getByText("1 row", { exact: true })).toBeVisible();
  await field.fill("nothing of this kind");
  await expect(page.getByText(/No number, code or name in Products begins with/)).toBeVisible();
  await page.getByRole("button", { name: "Clear the search" }).click();
  await expect(field).toHaveValue("");
  await expect(grid(page)).toBeVisible();
  await page.goto(`/w/${workspace}/tables/order_line_items`);
  await grid(page).waitFor();
  await expect(page.getByRole("searchbox")).toHaveCount(0);
});

test("widths and the order of columns stay as one left them, until they are reset", async ({
  page,
  context,
}) => {
  const workspace = await enter(context, "viewer");
  await page.goto(`/w/${workspace}/tables/products`);
  await grid(page).waitFor();
  const usual = await headers(page);
  const width = async (name: string) => Math.round((await header(page, name).boundingBox())?.width ?? 0);
  const before = await width("Name");
  const edge = await header(page, "Name").locator("[data-resize]").boundingBox();
  await page.mouse.move((edge?.x ?? 0) + 3, (edge?.y ?? 0) + 5);
  await page.mouse.down();
  await page.mouse.move((edge?.x ?? 0) + 63, (edge?.y ?? 0) + 5, { steps: 3 });
  await page.mouse.up();
  await expect.poll(() => width("Name")).toBe(before + 60);
  await expect(header(page, "Name")).not.toHaveAttribute("aria-sort", /./);
  const sku = await width("SKU");
  await grid(page).locator('[tabindex="0"]').focus();
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Alt+ArrowRight");
  await expect.poll(() => width("SKU")).toBe(sku + 16);

  await page.getByRole("button", { name: "Columns" }).click();
  const up = page.getByRole("button", { name: "Move SKU up" });
  await up.focus();
  await page.keyboard.press("Enter");
  await expect(up).toBeDisabled();
  await page.keyboard.press("Escape");
  await expect(page).toHaveURL(/columns=sku%2Cname|columns=sku,name/);

  const check = async () => {
    await expect(grid(page).getByRole("columnheader").first()).toHaveText("SKU");
    expect((await headers(page)).slice(0, 2)).toEqual(["SKU", "Name"]);
    expect(await width("Name")).toBe(before + 60);
    expect(await width("SKU")).toBe(sku + 16);
  };
  await check();
  await page.goto(`/w/${workspace}/tables/products`);
  await check();

  await page.getByRole("button", { name: "Columns" }).click();
  await page.getByRole("button", { name: "Reset" }).click();
  await page.keyboard.press("Escape");
  await expect.poll(() => headers(page)).toEqual(usual);
  expect(await width("Name")).toBe(before);
  await page.reload();
  await grid(page).waitFor();
  expect(await headers(page)).toEqual(usual);
  expect(await width("Name")).toBe(before);
});
