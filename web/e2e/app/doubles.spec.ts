import { expect, test } from "@playwright/test";
import { expectAccessible, settled, watch } from "../support";
import { enter, makeKey, send } from "./people";

test("an article that came twice is merged from its page", async ({ page, context, request }, {
  repeatEachIndex,
}) => {
  const faults = watch(page);
  const workspace = await enter(context, "admin");
  const key = await makeKey(context, workspace, "*", "Doubles");
  const sku = `TWICE-${Date.now()}-${repeatEachIndex}`;
  const store = async (slug: string, record: Record<string, unknown>) => {
    const answer = await send(request, slug, key, record);
    expect(answer.status()).toBe(200);
    return answer;
  };
  await store("products", { sku, name: "Cup from the sheet", barcode: "4006381333931" });
  await store("purchase_order_lines", {
    external_id: `${sku}-1`,
    order_no: `PO-${sku}`,
    sku,
    product_id: sku,
    quantity_ordered: 5,
  });
  const warned = await store("products", { external_id: `id-${sku}`, sku, name: "Cup of the shop" });
  expect(warned.headers()["ingest-warning"]).toContain("sku_twin");

  await page.goto(`/w/${workspace}/failures`);
  await page.getByRole("link", { name: "Doubles" }).click();
  await expect(page.getByRole("heading", { name: "Doubles" })).toBeVisible();
  const row = page.getByRole("row").filter({ hasText: sku });
  await expect(row).toContainText("Cup from the sheet");
  await expect(row).toContainText(`id-${sku}`);
  await expectAccessible(page);

  await row.getByRole("link", { name: "Cup from the sheet" }).click();
  await expect(page.getByText("another article with an external_id has this SKU")).toBeVisible();
  const old = page.url();
  await page.getByRole("button", { name: "Merge Cup from the sheet" }).click();
  const dialog = page.getByRole("alertdialog", { name: "Merge Cup from the sheet" });
  await expect(dialog).toContainText(`id-${sku}`);
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Merge articles" }).click();
  await expect(page.getByRole("heading", { name: "Cup of the shop" })).toBeVisible();
  await expect(page.getByText("Merged into Cup of the shop, with 1 order line")).toBeVisible();
  await expect(page.getByText("has this SKU")).toBeHidden();

  await page.goto(old);
  await expect(page.getByRole("heading", { name: "Cup of the shop" })).toBeVisible();
  await store("products", { sku, name: "Cup of the shop", status: "active" });
  await page.goto(`/w/${workspace}/failures/doubles`);
  await settled(page);
  await expect(page.getByRole("row").filter({ hasText: sku })).toBeHidden();
  await page.goto(`/w/${workspace}/audit`);
  await expect(page.getByText("merged the article “Cup from the sheet”").first()).toBeVisible();
  expect(faults).toEqual([]);
});
