import { type BrowserContext, expect, type Page } from "@playwright/test";

let counter = 0;
/** A name that no other test uses. */
export const unique = (name: string) => `Edits ${name} ${Date.now() % 1_000_000}-${counter++}`;

/** An article of the test's own, with a usual supplier and nothing on its way; returns its SKU and id. */
export async function makeArticle(context: BrowserContext, workspace: string) {
  const path = `/api/app/workspaces/${workspace}`;
  const suppliers = (await (await context.request.get(`${path}/purchase-suppliers`)).json()).items;
  const sku = unique("article").replaceAll(" ", "-");
  const answer = await context.request.post(`${path}/tables/products/rows`, {
    data: { values: { external_id: sku, sku, name: `Article ${sku}`, supplier_id: suppliers[0].id } },
  });
  expect(answer.status(), await answer.text()).toBe(201);
  return { sku, id: (await answer.json()).id as string };
}

/** An order with one line of ten pieces. */
export async function draftOrder(context: BrowserContext, workspace: string) {
  const path = `/api/app/workspaces/${workspace}`;
  const products = (await (await context.request.get(`${path}/purchasable-products`)).json()).items;
  const product = products.find((one: { supplier_id?: string }) => one.supplier_id);
  const order_no = unique("order");
  const line = {
    order_no,
    product_id: product.id,
    supplier_id: product.supplier_id,
    quantity_ordered: "10",
    price_per_unit: "2.50",
    currency: "EUR",
  };
  const answer = await context.request.post(`${path}/purchase-order-lines`, {
    data: { lines: [line], confirm_on_its_way: true },
  });
  expect(answer.status()).toBe(201);
  const id = (await answer.json()).items[0].id as string;
  const url = `/w/${workspace}/purchase-orders/${encodeURIComponent(order_no)}`;
  return { url, line: `${path}/purchase-order-lines/${id}` };
}

export const quantityButton = (page: Page) => page.getByRole("button", { name: /edit quantity ordered/ });
export const quantityField = (page: Page) => page.getByRole("textbox", { name: /^Quantity ordered of/ });
