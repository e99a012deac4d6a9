import { type BrowserContext, expect, test } from "@playwright/test";
import { hold, watch } from "../support";
import { Inventory } from "./inventory";
import { unique } from "./lines";
import { act } from "./orders";
import { enter } from "./people";
import { countPresses } from "./presses";

/** Until a comparison is made and shown, on a busy machine. */
const soon = { timeout: 90_000 };

test("an order is exported, a conflict about it is decided, and what arrives there is seen here", async ({
  page,
  context,
  request,
}) => {
  test.setTimeout(360_000);
  const faults = watch(page);
  const { workspace, order, sku, supplier, line } = await orderedElsewhere(context);
  const there = await Inventory.start({
    suppliers: [{ name: supplier, currency: "EUR" }],
    variants: [{ sku, name: "Walked tea" }],
  });
  try {
    const connection = await connect(context, workspace, there);
    const { click, key, expectAtMost } = countPresses(page);

    // The order is exported.
    await page.goto(`/w/${workspace}/connections/${connection}?tab=orders`);
    const row = page.locator("[data-row]").filter({ hasText: order });
    await expect(row.getByText("In sync", { exact: true })).toBeVisible(soon);
    await click(row.getByRole("button", { name: order }));
    const drawer = page.getByRole("dialog");
    await expect(drawer.getByText(/Written in Katana/).first()).toBeVisible();

    // While it is paused, both sides change the price.
    await click(drawer.getByRole("button", { name: "Pause" }));
    await expect(drawer.getByText("Paused", { exact: true })).toBeVisible();
    await there.control(request, "price", { order_no: order, sku, price: 2.6 });
    const version = (await (await context.request.get(line)).json()).version;
    const edited = await context.request.patch(line, {
      data: { price_per_unit: "2.55" },
      headers: { "If-Match": `"${version}"` },
    });
    expect(edited.status(), await edited.text()).toBe(200);
    await click(drawer.getByRole("button", { name: "Resume" }));
    await expect(drawer.getByText("Conflict", { exact: true }).first()).toBeVisible(soon);
    expectAtMost(3);

    // A buyer, who does not see connections, decides it by keys.
    await enter(context, "buyer");
    await page.goto(`/w/${workspace}/conflicts`);
    const conflict = page.getByRole("listitem", { name: `${sku}, price` });
    await expect(conflict).toContainText("Both last had €2.50");
    await expect(conflict).toContainText("€2.55");
    await expect(conflict).toContainText("€2.60");
    const { release } = await hold(page, /\/decisions$/, "POST");
    await key("j");
    await key("t");
    // Whoever reads that nothing waits may leave the page: it is said when the decision is stored.
    await expect(page.getByText("Storing the decision")).toBeVisible();
    release();
    await expect(page.getByText("No conflict waits for a decision.")).toBeVisible();
    expectAtMost(2);
    await page.goto(`/w/${workspace}/purchase-orders/${encodeURIComponent(order)}`);
    await expect(page.getByRole("cell", { name: "€2.60" })).toBeVisible(soon);

    // A part arrives there.
    await there.control(request, "receive", { order_no: order, sku, quantity: 4 });
    await expect(page.getByText("Partially received").first()).toBeVisible(soon);
    await expect(page.getByRole("heading", { name: /In Katana/ })).toContainText("In sync", soon);
    expectAtMost(0);
  } finally {
    there.stop();
  }
  expect(faults).toEqual([]);
});

/** An order that is approved, in a workspace of its own: a connection exports all orders of a workspace. */
async function orderedElsewhere(context: BrowserContext) {
  await enter(context, "admin");
  const tenant = (await (await context.request.get("/api/app/session")).json()).tenants[0].id;
  const made = await context.request.post(`/api/app/tenants/${tenant}/workspaces`, {
    data: { name: unique("Exchange"), base_currency: "EUR" },
  });
  expect(made.status(), await made.text()).toBe(201);
  const workspace = (await made.json()).id as string;
  const path = `/api/app/workspaces/${workspace}`;
  const store = async (table: string, values: Record<string, unknown>) => {
    const answer = await context.request.post(`${path}/tables/${table}/rows`, { data: { values } });
    expect(answer.status(), await answer.text()).toBe(201);
    return (await answer.json()).id as string;
  };
  const [sku, supplier, order] = ["tea", "supplier", "order"].map((name) =>
    unique(name).replaceAll(" ", "-"),
  );
  const supplierId = await store("suppliers", { external_id: supplier, name: supplier });
  const product = await store("products", {
    external_id: sku,
    sku,
    name: "Walked tea",
    supplier_id: supplierId,
  });
  const drafted = await context.request.post(`${path}/purchase-order-lines`, {
    data: {
      confirm_on_its_way: true,
      lines: [
        {
          order_no: order,
          product_id: product,
          supplier_id: supplierId,
          quantity_ordered: "10",
          price_per_unit: "2.50",
          currency: "EUR",
        },
      ],
    },
  });
  expect(drafted.status(), await drafted.text()).toBe(201);
  const submitted = await act(context, workspace, "submit", (await drafted.json()).items);
  await enter(context, "approver");
  const [line] = await act(context, workspace, "approve", submitted);
  await enter(context, "admin");
  return {
    workspace,
    order: order ?? "",
    sku: sku ?? "",
    supplier: supplier ?? "",
    line: `${path}/purchase-order-lines/${line?.id}`,
  };
}

/** Connects the stand-in, tests it, says what is what, and takes it into use. */
async function connect(context: BrowserContext, workspace: string, there: Inventory): Promise<string> {
  const path = `/api/app/workspaces/${workspace}/connections`;
  const call = async (to: string, data?: unknown) => {
    const answer = await context.request.post(`${path}${to}`, data ? { data } : {});
    expect(answer.ok(), await answer.text()).toBe(true);
    return answer.json();
  };
  const { id } = await call("", {
    system: "katana",
    name: "Katana",
    address: `${there.address}/v1`,
    token: there.token,
    may_export: true,
    may_load: true,
    location: await there.location(context.request),
    calls_per_minute: 600,
  });
  expect((await call(`/${id}/test`)).test).toMatchObject({ passed: true });
  expect((await call(`/${id}/matches/accept`, { kind: "supplier" })).accepted).toBe(1);
  await call(`/${id}/resume`);
  return id;
}
