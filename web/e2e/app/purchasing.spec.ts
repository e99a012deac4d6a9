import { type Browser, type BrowserContext, expect, type Locator, type Page, test } from "@playwright/test";
import { expectAccessible, expectNoSidewaysScroll, hold, views, watch } from "../support";
import { makeArticle } from "./lines";
import { enter, makeKey, send, type Who } from "./people";
import { makeNeed } from "./queue";

/** Another person in their own browser, at the test's window size. */
async function sit(browser: Browser, who: Who, page: Page): Promise<{ page: Page; context: BrowserContext }> {
  const context = await browser.newContext({ viewport: page.viewportSize() });
  await enter(context, who);
  return { context, page: await context.newPage() };
}

interface Made {
  id: string;
  version: number;
  order_no: string;
}

interface Product {
  id: string;
  supplier_id?: string;
}

/** Drafts lines through the API, for tests of the later steps. */
async function draft(context: BrowserContext, workspace: string, order: string, lines = 1): Promise<Made[]> {
  const path = `/api/app/workspaces/${workspace}`;
  const products: Product[] = (await (await context.request.get(`${path}/purchasable-products`)).json())
    .items;
  // An order has one supplier: take the one with the most articles.
  const from = (id: string) => products.filter(({ supplier_id }) => supplier_id === id);
  const known = products
    .flatMap(({ supplier_id }) => (supplier_id ? [from(supplier_id)] : []))
    .reduce((most, one) => (one.length > most.length ? one : most), []);
  const answer = await context.request.post(`${path}/purchase-order-lines`, {
    data: {
      confirm_on_its_way: true,
      lines: Array.from({ length: lines }, (_, n) => ({
        order_no: order,
        product_id: known[n]?.id,
        supplier_id: known[n]?.supplier_id,
        quantity_ordered: "10",
        price_per_unit: "2.50",
        currency: "EUR",
      })),
    },
  });
  expect(answer.status()).toBe(201);
  return (await answer.json()).items;
}

async function act(context: BrowserContext, workspace: string, action: string, lines: Made[], more = {}) {
  const data = { lines: lines.map(({ id, version }) => ({ id, version })), ...more };
  const answer = await context.request.post(
    `/api/app/workspaces/${workspace}/purchase-order-lines/${action}`,
    { data },
  );
  expect(answer.status(), await answer.text()).toBe(200);
  return (await answer.json()).items as Made[];
}

type Need = Awaited<ReturnType<typeof makeNeed>>;

const dialogOf = (page: Page) => page.getByRole("dialog");

/** Order numbers with characters that have a meaning in an address. */
let counter = 0;
const number = (name: string) => `E2E/${name} ${Date.now() % 1_000_000}-${counter++}`;
const address = (workspace: string, order: string) =>
  `/w/${workspace}/purchase-orders/${encodeURIComponent(order)}`;

for (const { name, width, height } of views) {
  test.describe(name, () => {
    test.use({ viewport: { width, height }, hasTouch: name === "phone" });

    test("a line goes from draft to received, and its history tells", async ({ page, context, browser }) => {
      test.slow();
      const faults = watch(page);
      const workspace = await enter(context, "buyer");
      const order = number(name);
      await page.goto(`/w/${workspace}/purchase-orders/new`);

      // Draft a line by picking an article, which also fills in its supplier.
      await page.getByRole("button", { name: "Enter lines by hand" }).click();
      const dialog = dialogOf(page);
      await dialog.getByLabel("Order number").fill(order);
      const { sku } = await makeArticle(context, workspace);
      await dialog.getByLabel("Article of line 1").fill(sku);
      await page.getByRole("option", { name: sku }).first().click();
      await expect(dialog.getByLabel("Supplier of line 1")).not.toHaveValue("");
      await dialog.getByLabel("Quantity of line 1").fill("10");
      const price = dialog.getByLabel("Price of line 1");
      await price.fill("2,50");
      await dialog.getByLabel("Currency of line 1").fill("EUR");
      await dialog.getByRole("button", { name: "Draft 1 line" }).click();
      // The workspace does not write numbers this way: the field asks what is meant, and nothing is sent.
      await expect(price).toHaveAccessibleDescription(/2,50 — did you mean 2\.5 or 250\?/);
      await expect(price).toHaveAttribute("aria-invalid", "true");
      await expect(price).toBeFocused();
      await expectAccessible(page, { overlay: true });
      await expectNoSidewaysScroll(page);
      await price.fill("2.50");
      await dialog.getByRole("button", { name: "Draft 1 line" }).click();
      await expect(page.getByRole("heading", { level: 1, name: order })).toBeVisible();
      await expect(page.getByText("Draft", { exact: true })).toBeVisible();
      await expect(page.getByText("€25.00").first()).toBeVisible();

      await page.getByRole("button", { name: "Submit" }).click();
      await dialog.getByRole("button", { name: "Submit 1 line" }).click();
      await expect(page.getByText("Pending approval", { exact: true })).toBeVisible();
      await expect(page.getByRole("button", { name: "Approve" })).toHaveCount(0);

      // Another person approves, and sees the lines and the total first.
      const approver = await sit(browser, "approver", page);
      await approver.page.goto(address(workspace, order));
      await approver.page.getByRole("button", { name: "Approve" }).click();
      await expect(dialogOf(approver.page).getByText("made by Cleo Martin")).toBeVisible();
      await expect(dialogOf(approver.page).getByText("€25.00").last()).toBeVisible();
      await approver.page.waitForTimeout(300);
      await expectAccessible(approver.page, { overlay: true });
      await expectNoSidewaysScroll(approver.page);
      await approver.page.screenshot({ path: `e2e/screenshots/approve-${name}.png` });
      await dialogOf(approver.page).getByRole("button", { name: "Approve 1 line" }).click();
      // A column is called "Ordered" too; only this text says that the lines are ordered.
      await expect(approver.page.getByText("1 line approved and ordered")).toBeVisible();
      await approver.context.close();

      // A part arrives, then the rest.
      await page.reload();
      await page.getByRole("button", { name: "Receive…" }).click();
      const field = dialog.getByRole("textbox", { name: /^Arrived of/ });
      await expect(field).toHaveValue("10");
      await field.fill("4,5");
      await dialog.getByRole("button", { name: "Book receipt" }).click();
      await expect(field).toHaveAccessibleDescription(/4,5 — did you mean 4\.5 or 45\?/);
      await expect(field).toBeFocused();
      await expect(dialog.getByRole("alert")).toHaveCount(0);
      await field.fill("4");
      await dialog.getByLabel("Note").fill("Pallet 1");
      await page.waitForTimeout(300);
      await expectAccessible(page, { overlay: true });
      await expectNoSidewaysScroll(page);
      await page.screenshot({ path: `e2e/screenshots/receive-${name}.png` });
      await dialog.getByRole("button", { name: "Book receipt" }).click();
      await expect(page.getByText("Partially received", { exact: true })).toBeVisible();
      await page.getByRole("button", { name: "Receive…" }).click();
      await expect(field).toHaveValue("6");
      await dialog.getByRole("button", { name: "Book receipt" }).click();
      await expect(page.getByText("Received", { exact: true }).last()).toBeVisible();
      await expect(dialog).toHaveCount(0);

      await page.getByRole("button", { name: /Details of/ }).click();
      const history = dialog.getByRole("region", { name: "History" });
      for (const said of [
        "You drafted it",
        "You submitted it for approval",
        "Ben Okafor approved it",
        "You booked a receipt",
        "partially received → received",
        "Quantity received: 4 → 10",
      ])
        await expect(history.getByText(said).first()).toBeVisible();
      await expect(dialog.getByRole("region", { name: "Receipts" }).getByText("Pallet 1")).toBeVisible();
      await page.waitForTimeout(300);
      await expectAccessible(page, { overlay: true });
      await page.screenshot({ path: `e2e/screenshots/line-drawer-${name}.png` });
      expect(faults).toEqual([]);
    });
  });
}

test("who made a line is refused its approval, in the service's words", async ({ page, context }) => {
  const workspace = await enter(context, "admin");
  const order = number("own");
  await act(context, workspace, "submit", await draft(context, workspace, order));
  await page.goto(address(workspace, order));
  await page.getByRole("button", { name: "Approve" }).click();
  await dialogOf(page).getByRole("button", { name: "Approve 1 line" }).click();
  await expect(dialogOf(page).getByRole("alert")).toHaveText(
    "You made this line; somebody else must approve it.",
  );
});

for (const { name, width, height } of views) {
  test(`what is on its way is said when an article is picked, ${name}`, async ({ page, context }) => {
    await page.setViewportSize({ width, height });
    const workspace = await enter(context, "buyer");
    const [before] = await draft(context, workspace, number("way"));
    const path = `/api/app/workspaces/${workspace}/purchase-order-lines/${before?.id}`;
    const { sku } = await (await context.request.get(path)).json();
    await page.goto(`/w/${workspace}/purchase-orders/new`);
    await page.getByRole("button", { name: "Enter lines by hand" }).click();
    const dialog = dialogOf(page);
    await dialog.getByLabel("Article of line 1").fill(sku);
    await page.getByRole("option").first().click();
    await expect(dialog.getByRole("status")).toContainText(/Already on its way: .*\d+ .* on .+/);
    await dialog.getByLabel("Quantity of line 1").fill("3");
    await dialog.getByRole("button", { name: "Draft 1 line" }).click();
    await expect(dialog.getByRole("alert")).toContainText(`Already on its way: ${sku}: `);
    await expect(dialog.getByRole("alert")).toContainText("confirm that more is wanted");
    await page.waitForTimeout(300);
    await expectAccessible(page, { overlay: true });
    await expectNoSidewaysScroll(page);
    await page.screenshot({ path: `e2e/screenshots/on-its-way-${name}.png` });
    // By keyboard: tick the confirmation, then press the same button again.
    await dialog.getByRole("checkbox", { name: "Yes, order more of it" }).press("Space");
    await dialog.getByRole("button", { name: "Draft 1 line" }).press("Enter");
    await expect(page.getByText(/^1 line drafted in PO-/)).toBeVisible();
  });
}

test("Enter never picks an article of the search before", async ({ page, context }) => {
  const workspace = await enter(context, "buyer");
  const { sku } = await makeArticle(context, workspace);
  await page.goto(`/w/${workspace}/purchase-orders/new`);
  await page.getByRole("button", { name: "Enter lines by hand" }).click();
  const field = dialogOf(page).getByLabel("Article of line 1");
  const options = page.getByRole("option");
  await field.click();
  await expect(options.nth(1)).toBeEnabled();
  const search = await hold(page, new RegExp(`purchasable-products\\?text=${sku}`));
  await field.fill(sku);
  await search.asked;
  await expect(options.first()).toBeDisabled();
  await page.keyboard.press("Enter");
  await expect(field).toHaveValue(sku);
  search.release();
  await expect(options).toHaveCount(1);
  await expect(options.first()).toBeEnabled();
  await page.keyboard.press("Enter");
  await expect(field).toHaveValue(sku);
  await expect(dialogOf(page).getByLabel("Supplier of line 1")).not.toHaveValue("");
});

test("an approver approves several orders at once", async ({ page, context, browser }) => {
  const buyer = await browser.newContext();
  const workspace = await enter(buyer, "buyer");
  const orders = [number("bulk"), number("bulk")];
  for (const order of orders) await act(buyer, workspace, "submit", await draft(buyer, workspace, order, 2));
  await enter(context, "approver");
  await page.goto(`/w/${workspace}/purchase-orders?tab=pending_approval`);
  for (const order of orders) await page.getByRole("checkbox", { name: `Select ${order}` }).click();
  await expect(page.getByText("2 selected")).toBeVisible();
  await page.getByRole("button", { name: "Approve…" }).click();
  await expect(dialogOf(page).getByText("€100.00")).toBeVisible();
  await dialogOf(page).getByRole("button", { name: "Approve 4 lines" }).click();
  await expect(page.getByText("4 lines approved and ordered")).toBeVisible();
  for (const order of orders)
    await expect(page.getByRole("link", { name: order, exact: true })).toHaveCount(0);
  await buyer.close();
});

/** An order of which a part has arrived. */
async function partly(browser: Browser, context: BrowserContext, name: string) {
  const workspace = await enter(context, "buyer");
  const order = number(name);
  const approver = await browser.newContext();
  await enter(approver, "approver");
  const waiting = await act(context, workspace, "submit", await draft(context, workspace, order));
  const [line] = await act(approver, workspace, "approve", waiting);
  await approver.close();
  if (!line) throw new Error("no line");
  const arrived = { lines: [{ id: line.id, version: line.version, quantity: "4" }] };
  const path = `/api/app/workspaces/${workspace}/purchase-order-lines/receive`;
  const answer = await context.request.post(path, { data: arrived });
  expect(answer.status()).toBe(200);
  return { workspace, order };
}

test("the rest of a line is given up, with a reason", async ({ page, context, browser }) => {
  const { workspace, order } = await partly(browser, context, "short");
  await page.goto(address(workspace, order));
  await page.getByRole("checkbox", { name: "Select all lines" }).click();
  await page
    .getByRole("region", { name: "Selected lines" })
    .getByRole("button", { name: "Close short…" })
    .click();
  await dialogOf(page).getByRole("button", { name: "Close short" }).click();
  await expect(dialogOf(page).getByRole("alert")).toContainText("Give a reason");
  await dialogOf(page).getByLabel("Reason").fill("The supplier has no more");
  await dialogOf(page).getByRole("button", { name: "Close short" }).click();
  await expect(page.getByText("1 line closed short")).toBeVisible();
  // Closed short is a status of its own, with its own total.
  const table = page.getByRole("table", { name: "Lines of this order" });
  await expect(table.getByText("Closed short", { exact: true })).toBeVisible();
  await expect(table.getByText("Received", { exact: true })).toHaveCount(1); // the column
  const totals = page.getByRole("region", { name: "What the order comes to" });
  await expect(totals).toHaveText(/Ordered€25.00Received€10.00Given up€15.00Still expected€0.00/);
  await expectAccessible(page);
  await page.screenshot({ path: "e2e/screenshots/closed-short-desk.png" });
  await page.setViewportSize({ width: 390, height: 844 });
  await expect(page.getByText("Closed short", { exact: true })).toBeVisible();
  await expectNoSidewaysScroll(page);
  await page.screenshot({ path: "e2e/screenshots/closed-short-phone.png" });
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole("button", { name: /Details of/ }).click();
  await expect(dialogOf(page).getByText("“The supplier has no more”")).toBeVisible();
  await expect(dialogOf(page).getByText("partially received → closed short")).toBeVisible();

  await page.goto(`/w/${workspace}/purchase-orders?tab=closed_short`);
  const row = page.getByRole("row").filter({ hasText: order });
  await expect(row.getByText("Closed short")).toBeVisible();
});

test("far more than ordered is booked only when confirmed", async ({ page, context, browser }) => {
  const { workspace, order } = await partly(browser, context, "over");
  await page.goto(address(workspace, order));
  await page.getByRole("button", { name: "Receive…" }).click();
  await dialogOf(page)
    .getByRole("textbox", { name: /^Arrived of/ })
    .fill("20");
  await dialogOf(page).getByRole("button", { name: "Book receipt" }).click();
  await expect(dialogOf(page).getByRole("alert")).toContainText(
    "10 were ordered and with these 24 have arrived",
  );
  await dialogOf(page).getByRole("checkbox", { name: "Yes, that many arrived" }).click();
  await dialogOf(page).getByRole("button", { name: "Book all of it" }).click();
  await expect(page.getByText("24 arrived of 10 ordered")).toBeVisible();
});

test("a delivery is booked by scanning, in part and on a phone", async ({ page, context, request }) => {
  const workspace = await enter(context, "admin");
  const { sku, id } = await makeArticle(context, workspace);
  const barcode = `40${Date.now()}`;
  const article = `/api/app/workspaces/${workspace}/tables/products/rows/${id}`;
  const { version } = await (await context.request.get(article)).json();
  const changed = await context.request.patch(article, {
    data: { values: { barcode } },
    headers: { "If-Match": `"${version}"` },
  });
  expect(changed.status(), await changed.text()).toBe(200);
  const key = await makeKey(context, workspace, "purchase_order_lines", `Scanning ${sku}`);
  const line = { external_id: sku, order_no: `PO ${sku}`, sku, quantity_ordered: 5, status: "ordered" };
  expect((await send(request, "purchase_order_lines", key, line)).ok()).toBe(true);

  await enter(context, "buyer");
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`/w/${workspace}/receive`);
  const counted = page.getByRole("status", { name: `Counted of ${sku}` });
  await expect(page.getByLabel("Code")).toBeFocused();
  await page.keyboard.type(`${barcode}\n`);
  await expect(counted).toHaveText("1");
  await page.keyboard.type("no such code\n");
  await expect(page.getByText("No line that is still to come has the code no such code.")).toBeVisible();
  await page.keyboard.type(`${sku}\n`);
  await expect(counted).toHaveText("2");
  await page.reload();
  await expect(counted).toHaveText("2"); // nothing counted is lost
  await expectNoSidewaysScroll(page);
  await expectAccessible(page);
  await page.screenshot({ path: "e2e/screenshots/scan-phone.png" });
  await page.getByRole("button", { name: `One more of ${sku}` }).click();
  await page.getByRole("button", { name: "Book 1 line" }).click();
  await expect(page.getByText("Receipt of 1 line booked")).toBeVisible();
  await expect(counted).toHaveCount(0);
  const left = `/api/app/workspaces/${workspace}/arrivals/by-code?code=${barcode}`;
  expect((await (await context.request.get(left)).json()).items[0].quantity_received).toBe("3");
});

test("what somebody else changed meanwhile is shown, and nothing is done", async ({ page, context }) => {
  const workspace = await enter(context, "buyer");
  const order = number("stale");
  const [line] = await draft(context, workspace, order);
  await page.goto(address(workspace, order));
  await page.getByRole("button", { name: "Submit" }).click();
  const path = `/api/app/workspaces/${workspace}/purchase-order-lines/${line?.id}`;
  const changed = await context.request.patch(path, {
    headers: { "If-Match": `"${line?.version}"` },
    data: { quantity_ordered: "12" },
  });
  expect(changed.status()).toBe(200);
  await dialogOf(page).getByRole("button", { name: "Submit 1 line" }).click();
  await expect(dialogOf(page).getByText("Changed since you saw it. Nothing was done.")).toBeVisible();
  await expect(dialogOf(page).getByText("Quantity ordered 10 → 12")).toBeVisible();
  await dialogOf(page).getByRole("button", { name: "Reload and decide again" }).click();
  await dialogOf(page).getByRole("button", { name: "Submit 1 line" }).click();
  await expect(page.getByText("Pending approval", { exact: true })).toBeVisible();
});

test("a value is edited where it stands, and says what that does", async ({ page, context }) => {
  const workspace = await enter(context, "buyer");
  const order = number("edit");
  await act(context, workspace, "submit", await draft(context, workspace, order));
  await page.goto(address(workspace, order));
  const quantity = page.getByRole("button", { name: /edit quantity ordered/ });
  await quantity.focus();
  await page.keyboard.press("Enter");
  await expect(page.getByText("This sends the line back to draft")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(quantity).toBeFocused();
  await page.keyboard.press("Enter");
  await page.getByRole("textbox", { name: /^Quantity ordered of/ }).fill("nonsense");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("alert").filter({ hasText: "is not a number" })).toBeVisible();
  await expect(page.getByRole("textbox", { name: /^Quantity ordered of/ })).toHaveAccessibleDescription(
    /is not a number/,
  );
  await page.getByRole("textbox", { name: /^Quantity ordered of/ }).fill("12");
  await page.keyboard.press("Enter");
  await expect(page.getByText("The amount changed, so it must be submitted again.")).toBeVisible();
  await expect(page.getByText("Draft", { exact: true })).toBeVisible();
  await expect(page.getByText("€30.00").first()).toBeVisible();

  // The same in the details; Escape in the field does not close the details.
  await page.getByRole("button", { name: /Details of/ }).click();
  await dialogOf(page)
    .getByRole("button", { name: /edit note/ })
    .click();
  await page.keyboard.press("Escape");
  await dialogOf(page)
    .getByRole("button", { name: /edit note/ })
    .click();
  await dialogOf(page)
    .getByRole("textbox", { name: /^Note of/ })
    .fill("The green ones");
  await page.keyboard.press("Tab");
  await expect(dialogOf(page).getByText("Note: nothing → The green ones")).toBeVisible();
});

test("a viewer reads, and is offered nothing to do", async ({ page, context }) => {
  const workspace = await enter(context, "viewer");
  await page.goto(`/w/${workspace}/purchase-orders?tab=pending_approval`);
  await expect(page.getByRole("link", { name: "New order" })).toHaveCount(0);
  await expect(page.getByRole("checkbox")).toHaveCount(0);
  await page.getByRole("table").getByRole("link").first().click();
  await expect(page.getByRole("table", { name: "Lines of this order" })).toBeVisible();
  await expect(
    page.getByRole("button", { name: /Approve|Submit|Receive|Cancel|Add lines|, edit/ }),
  ).toHaveCount(0);
  await expect(page.getByRole("checkbox")).toHaveCount(0);
});

test("an admin sets the rules and a limit, others read them", async ({ page, context, browser }) => {
  // In a company of its own: the rules hold for every other test in the demo's.
  const workspace = await enter(context, "empty");
  await page.goto(`/w/${workspace}/purchasing`);
  await page.getByRole("checkbox", { name: /Four eyes/ }).click();
  await expect(page.getByText("People can approve their own lines.")).toBeVisible();
  await page.getByRole("button", { name: "Save rules" }).click();
  await expect(page.getByText("Purchasing rules saved")).toBeVisible();
  await page.getByRole("button", { name: "Change the limit of Eve Empty" }).click();
  await dialogOf(page).getByLabel("Amount").fill("5000");
  await dialogOf(page).getByRole("button", { name: "Save limit" }).click();
  await expect(page.getByText("€5,000.00")).toBeVisible();
  const reader = await sit(browser, "viewer", page);
  const theirs = await enter(reader.context, "viewer");
  await reader.page.goto(`/w/${theirs}/purchasing`);
  await expect(reader.page.getByText("A Company-Admin changes them.")).toBeVisible();
  await expect(reader.page.getByRole("button", { name: "Save rules" })).toHaveCount(0);
  await reader.context.close();
});

test("a late order is reminded, called about, and gone from what is late in six presses", async ({
  page,
  context,
}) => {
  const faults = watch(page);
  const workspace = await enter(context, "buyer");
  const order = number("late");
  const submitted = await act(context, workspace, "submit", await draft(context, workspace, order, 2));
  await enter(context, "approver");
  const approved = await act(context, workspace, "approve", submitted);
  await enter(context, "buyer");
  await act(context, workspace, "dates", approved, { expected_arrival_date: "2024-02-01" });
  let presses = 0;
  const press = async (target: Locator) => {
    await target.click();
    presses++;
  };
  const row = page.getByRole("table", { name: "Deliveries" }).getByRole("row").filter({ hasText: order });
  const button = (name: string | RegExp) => dialogOf(page).getByRole("button", { name });

  await page.goto(`/w/${workspace}`);
  await press(page.getByRole("link", { name: /^Late/ }));
  await expect(row).toContainText(/days late/);
  await press(row.getByRole("button", { name: /^Remind/ }));
  await expect(dialogOf(page).getByLabel("Text")).toHaveValue(/1 February 2024.*\n- 10 × /s);
  const mail = dialogOf(page).getByRole("link", { name: "Open in mail program" });
  await expect(mail).toHaveAttribute(
    "href",
    new RegExp(`subject=Order%20${encodeURIComponent(order).slice(0, 8)}`),
  );
  await press(button("Copy"));
  await expect(row).toContainText(/reminded now.*by you/);

  await press(row.getByRole("button", { name: /^Called/ }));
  await dialogOf(page).getByLabel("What was said").fill("On a ship, says Ms Berg");
  await press(button("+7 days"));
  await press(button(/^Save and move/));
  await expect(page.getByText("The call is in the order's timeline")).toBeVisible();
  await expect(row).toHaveCount(0);
  expect(presses).toBeLessThanOrEqual(6);

  // The order tells both, and takes a comment that mentions somebody, by keyboard alone.
  await page.goto(address(workspace, order));
  const timeline = page.getByRole("list", { name: "Timeline" });
  await expect(timeline).toContainText("called the supplier");
  await expect(timeline).toContainText("moved 2 lines to");
  await expect(timeline).toContainText("approved 2 lines");
  await page.getByLabel("Comment on the order").pressSequentially("Look, @ada");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Control+Enter");
  await expect(timeline.getByRole("listitem").first()).toContainText(/commented.*Look, @Ada/s);

  await enter(context, "viewer");
  await page.goto(`/w/${workspace}/arrivals?group=soon`);
  await expect(row).toBeVisible();
  await expect(row.getByRole("button", { name: /^Remind/ })).toHaveCount(0);
  expect(faults).toEqual([]);
});

test("three suggested articles are ordered by keyboard alone, with a reload in the middle", async ({
  page,
  context,
  request,
}) => {
  const faults = watch(page);
  const workspace = await enter(context, "admin");
  const needs = await Promise.all([1, 2, 3].map(() => makeNeed(context, request, workspace)));
  const [first] = needs as [Need, Need, Need];
  const key = await makeKey(context, workspace, "products", `${first.name} key`);
  for (const { name } of needs)
    await send(request, "products", key, { external_id: name, supplier_id: first.name });
  const due = async () => {
    const path = `/api/app/workspaces/${workspace}/procurement/summary`;
    const { suppliers } = await (await context.request.get(path)).json();
    return suppliers.find((one: { supplier?: { name: string } }) => one.supplier?.name === first.supplier)
      ?.lines;
  };
  await expect.poll(due).toBe(3);

  await enter(context, "buyer");
  let presses = 0;
  const press = async (keys: string) => {
    presses++;
    await page.keyboard.press(keys);
  };
  const cells = page.getByRole("textbox", { name: /^Quantity of/ });
  await page.goto(`/w/${workspace}`);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await press("g");
  await press("p");
  await expect(page.getByRole("heading", { level: 1, name: "Purchase orders" })).toBeVisible();
  await press("n");
  await expect(page.getByRole("combobox", { name: "Supplier" })).toBeFocused();
  await page.keyboard.type(first.supplier);
  await expect(page.getByRole("option")).toHaveCount(1);
  await expect(page.getByRole("option")).toContainText("3 articles to order");
  await press("Enter");
  await expect(cells.first()).toBeFocused();
  await expect(cells).toHaveCount(3);
  await press("s");
  await expect(cells.nth(1)).toBeFocused();
  const state = page.getByRole("region", { name: "The order" }).getByRole("status");
  await expect(state).toContainText(/^Draft .+ · saved$/);
  const drafted = await cells.first().inputValue();
  expect(Number(drafted)).toBeGreaterThan(0);
  // 25 is no carton of 12: it is rounded, and the row says so.
  await page.keyboard.type("25");
  await press("Enter");
  await expect(page.getByText("Rounded from 25 to 36, cartons of 12, at least 24.")).toBeVisible();
  await expect(state).toContainText(/· saved$/);

  await page.reload();
  await expect(cells.first()).toBeFocused();
  await expect(cells.first()).toHaveValue(drafted);
  await expect(cells.nth(1)).toHaveValue("36");
  await press("ArrowDown");
  await press("s");
  await press("s");
  await expect(state).toContainText(/· saved$/);
  await press("Control+Enter");
  const dialog = dialogOf(page);
  await expect(dialog).toContainText("Submit for approval: 3 lines");
  await expect(dialog.getByRole("button", { name: "Submit 3 lines" })).toBeFocused();
  await press("Enter");
  await expect(page.getByText("Pending approval").first()).toBeVisible();
  expect(presses).toBeLessThanOrEqual(11);
  expect(faults).toEqual([]);
});
