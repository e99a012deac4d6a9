import { type APIRequestContext, type BrowserContext, expect } from "@playwright/test";
import { unique } from "./lines";
import { makeKey, send } from "./people";

const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString();

/** How many weeks the article has been sold: a shorter history would make it a new article. */
const weeks = 26;

/**
 * An article of the test's own that has to be ordered: sold every week for half a year, with a price,
 * a supplier with its terms, and nearly no stock. Waits until it is in the queue.
 *
 * No nightly computation is needed. Sales mark their article; the demand of marked articles is
 * computed within seconds, and then their row of the queue, because the demo's workspace has been
 * computed as a whole before.
 */
export async function makeNeed(
  context: BrowserContext,
  request: APIRequestContext,
  workspace: string,
  terms: { lead_time_days?: number } = { lead_time_days: 10 },
  timeout = 60_000,
) {
  const name = unique("need").replaceAll(" ", "-");
  const key = await makeKey(context, workspace, "*", name);
  const sent = async (slug: string, records: unknown) => {
    const answer = await send(request, slug, key, records);
    expect(answer.status(), await answer.text()).toBeLessThan(300);
  };
  await sent("suppliers", { external_id: name, name: `${name} Ltd`, currency: "EUR", ...terms });
  await sent("products", {
    external_id: name,
    sku: name,
    name,
    supplier_id: name,
    price: 9,
    unit_cost: 2.5,
    currency: "EUR",
    moq: 24,
    order_multiple: 12,
    stock_available: 3,
    stock_updated_at: day(0),
  });
  const sold = Array.from({ length: weeks }, (_, week) => ({ id: `${name}-${week + 1}`, ago: week * 7 + 4 }));
  await Promise.all(
    sold.map(({ id, ago }) =>
      sent("orders", {
        external_id: id,
        ordered_at: day(ago),
        status: "open",
        currency: "EUR",
        total: 126,
      }),
    ),
  );
  await Promise.all(
    sold.map(({ id }) =>
      sent("order_line_items", {
        external_id: id,
        order_id: id,
        product_id: name,
        name,
        quantity: 14,
        unit_price: 9,
      }),
    ),
  );
  await expect.poll(() => groupOf(context, workspace, name), { timeout }).toBe("order");
  return { name, supplier: `${name} Ltd` };
}

/** The group of the queue that an article is in. */
export async function groupOf(context: BrowserContext, workspace: string, sku: string): Promise<string> {
  const path = `/api/app/workspaces/${workspace}/procurement/queue`;
  const { items } = await (await context.request.get(path, { params: { text: sku } })).json();
  return items[0]?.group ?? "none";
}
