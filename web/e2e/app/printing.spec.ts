import { expect, type Page, test } from "@playwright/test";
import { expectAccessible, expectNoSidewaysScroll, switchTheme } from "../support";
import { act, address, dialogOf, draft, number } from "./orders";
import { enter, send } from "./people";
import { countPresses } from "./presses";

test("an order is downloaded as a PDF", async ({ page, context }) => {
  const workspace = await enter(context, "viewer");
  await page.goto(`/w/${workspace}/purchase-orders/PO-3101`);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "PDF" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("purchase-order-PO-3101.pdf");
  const chunks: Buffer[] = [];
  for await (const chunk of await download.createReadStream()) chunks.push(Buffer.from(chunk));
  expect(Buffer.concat(chunks).subarray(0, 5).toString()).toBe("%PDF-");
});

test("an order for several suppliers is printed for one at a time", async ({ page, context, request }) => {
  const workspace = await enter(context, "admin");
  // A number with characters that have a meaning in an address.
  const order = `E2E/print ${Date.now()}`;
  const path = `/api/app/workspaces/${workspace}`;
  const suppliers = (await (await context.request.get(`${path}/purchase-suppliers`)).json()).items.slice(
    0,
    2,
  );
  // Only an external system can put several suppliers into one order.
  const key = await context.request.post(`${path}/keys`, {
    data: { label: order, scope: "purchase_order_lines" },
  });
  expect(key.status()).toBe(201);
  const secret = (await key.json()).secret;
  for (const [n, { id }] of suppliers.entries()) {
    const record = {
      external_id: `${order} ${n}`,
      order_no: order,
      sku: `${order} ${n}`,
      supplier_id: id,
      quantity_ordered: 1,
    };
    expect((await send(request, "purchase_order_lines", secret, record)).status()).toBe(200);
  }
  await page.goto(`/w/${workspace}/purchase-orders/${encodeURIComponent(order)}`);
  await expect(page.getByText("From 2 suppliers")).toBeVisible();
  await page.getByRole("button", { name: "PDF" }).press("Enter");
  await expect(page.getByRole("menuitem")).toHaveCount(2);
  await expectAccessible(page, { overlay: true });
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("menuitem", { name: suppliers[1].name }).click(),
  ]);
  expect(download.suggestedFilename()).toContain(suppliers[1].name.replaceAll(/[^0-9a-zA-Z_-]/g, "-"));
});

/** Looks at a dialog in both themes, on a desk and on a phone. */
async function look(page: Page, what: string) {
  const desk = page.viewportSize() ?? { width: 1280, height: 720 };
  for (const size of [{ width: 390, height: 844 }, desk]) {
    await page.setViewportSize(size);
    for (const colorScheme of ["dark", "light"] as const) {
      await switchTheme(page, colorScheme);
      await expectAccessible(page, { overlay: true });
      await expectNoSidewaysScroll(page);
      await page.screenshot({ path: `e2e/screenshots/${what}-${colorScheme}-${size.width}.png` });
    }
  }
}

test("an order is sent to its supplier and confirmed with differences", async ({
  page,
  context,
  browser,
}) => {
  const workspace = await enter(context, "buyer");
  const order = number("send");
  const lines = await act(context, workspace, "submit", await draft(context, workspace, order, 2));
  const approver = await browser.newContext();
  await enter(approver, "approver");
  await act(approver, workspace, "approve", lines);
  await approver.close();
  const presses = countPresses(page);
  const press = (name: string | RegExp, role: "button" | "link" = "button") =>
    presses.click(page.getByRole(role, { name }).first());

  // This service has no mail server: the person sends the mail, and the order keeps it.
  await page.goto(address(workspace, order));
  await press("Send to supplier…");
  const dialog = dialogOf(page);
  await expect(dialog.getByText("No mail server is configured")).toBeVisible();
  await expect(dialog.getByLabel("Subject")).toHaveValue(`Purchase order ${order}`);
  await dialog.getByLabel("To", { exact: true }).fill("orders@supplier.example");
  await look(page, "send");
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    press("Download and open mail program", "link"),
  ]);
  expect(download.suggestedFilename()).toContain(".pdf");
  const timeline = page.getByRole("list", { name: "Timeline" });
  await expect(timeline.getByText(/sent the order to orders@supplier\.example/)).toBeVisible();
  await expect(page.getByRole("button", { name: "Send again…" })).toBeVisible();

  await press("Confirm…");
  await dialog.getByLabel("The supplier's reference").fill("AB-4711");
  await dialog
    .getByLabel(/^Day of/)
    .first()
    .fill("2031-02-03");
  await dialog
    .getByLabel(/^Price of/)
    .last()
    .fill("9");
  await expect(dialog.getByText("€6.50 dearer")).toBeVisible();
  await look(page, "confirmation");
  await press("Save confirmation");
  await expect(timeline.getByText("reference AB-4711")).toBeVisible();
  await expect(timeline.getByText(/confirmed on Feb 3, 2031/)).toBeVisible();
  await expect(
    timeline.getByText(/€6\.50 dearer.*The order keeps its price: the rise needs an approval/),
  ).toBeVisible();
  presses.expectAtMost(4);
  await expect(page.getByText("Changed since it was sent: 1 line")).toBeVisible();
});
