import { type Browser, type BrowserContext, expect, type Page, test } from "@playwright/test";
import { expectAccessible, expectNoSidewaysScroll, hold, says, still, views, watch } from "../support";
import { makeArticle } from "./lines";
import { act, address, dialogOf, draft, number } from "./orders";
import { enter, type Who } from "./people";

/** Another person in their own browser, at the test's window size. */
async function sit(browser: Browser, who: Who, page: Page): Promise<{ page: Page; context: BrowserContext }> {
  const context = await browser.newContext({ viewport: page.viewportSize() });
  await enter(context, who);
  return { context, page: await context.newPage() };
}

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
      await still(approver.page);
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
      await still(page);
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
      await still(page);
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
    await still(page);
    await expectAccessible(page, { overlay: true });
    await expectNoSidewaysScroll(page);
    await page.screenshot({ path: `e2e/screenshots/on-its-way-${name}.png` });
    // By keyboard: tick the confirmation, then press the same button again.
    await dialog.getByRole("checkbox", { name: "Yes, order more of it" }).press("Space");
    await dialog.getByRole("button", { name: "Draft 1 line" }).press("Enter");
    await expect(page.getByText(/^1 line drafted in \S/)).toBeVisible();
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

test("a line is split by date, by keyboard alone", async ({ page, context }) => {
  const workspace = await enter(context, "buyer");
  const order = number("split");
  await act(context, workspace, "submit", await draft(context, workspace, order));
  await page.goto(address(workspace, order));
  await expect(page.getByText("Pending approval", { exact: true })).toBeVisible();
  await page.keyboard.press("d");
  const quantity = dialogOf(page).getByLabel("Quantity that comes on another day");
  await expect(quantity).toBeFocused();
  await page.keyboard.type("10");
  await expect(quantity).toHaveAccessibleDescription("Less than all: give the line another day instead.");
  await quantity.fill("4");
  await expect(quantity).toHaveAccessibleDescription(/^6 stay on the line, without a day\./);
  await dialogOf(page).getByLabel("Expected on").fill("2031-03-04");
  await expectAccessible(page, { overlay: true });
  await page.keyboard.press("Enter");
  await expect(page.getByText("4 are a line of their own, expected on Mar 4, 2031")).toBeVisible();
  await expect(page.getByText("Pending approval", { exact: true })).toHaveCount(2);
  await expect(page.getByText("€25.00").first()).toBeVisible();
  await expect(page.getByText(/split .*: 4 expected on Mar 4, 2031/)).toBeVisible();
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
  await says(page, "Purchasing rules saved", () => page.getByRole("button", { name: "Save rules" }).click());
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
