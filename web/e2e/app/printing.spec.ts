import { expect, test } from "@playwright/test";
import { expectAccessible } from "../support";
import { enter, send } from "./people";

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
