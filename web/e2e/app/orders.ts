import { type BrowserContext, expect, type Page } from "@playwright/test";

export interface Made {
  id: string;
  version: number;
  order_no: string;
}

interface Product {
  id: string;
  supplier_id?: string;
}

/** Drafts lines through the API, for tests of the later steps. */
export async function draft(
  context: BrowserContext,
  workspace: string,
  order: string,
  lines = 1,
): Promise<Made[]> {
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

export async function act(
  context: BrowserContext,
  workspace: string,
  action: string,
  lines: Made[],
  more = {},
) {
  const data = { lines: lines.map(({ id, version }) => ({ id, version })), ...more };
  const answer = await context.request.post(
    `/api/app/workspaces/${workspace}/purchase-order-lines/${action}`,
    { data },
  );
  expect(answer.status(), await answer.text()).toBe(200);
  return (await answer.json()).items as Made[];
}

export const dialogOf = (page: Page) => page.getByRole("dialog");

/** Order numbers with characters that have a meaning in an address. */
let counter = 0;
export const number = (name: string) => `E2E/${name} ${Date.now() % 1_000_000}-${counter++}`;
export const address = (workspace: string, order: string) =>
  `/w/${workspace}/purchase-orders/${encodeURIComponent(order)}`;
