import { type BrowserContext, expect } from "@playwright/test";
import type { AnyRoute } from "@tanstack/react-router";
import { routeTree } from "@/app/areas";
import { enter } from "./people";

// All pages of the app, read from its routes.

/** Values for the parameters of addresses, from the demo's records. */
const demo: Record<string, string> = { $slug: "orders", $order: "PO-3101", $strategy: "new", $sop: "new" };

/** More addresses: search parameters that change a page's look, and further records. */
const states = [
  "/tables/purchase_order_lines?sort=-updated_at",
  "/sources/purchase_order_lines",
  "/sources/purchase_order_lines?tab=columns",
  "/sources/orders?tab=try",
  "/sources/orders?tab=templates",
  "/failures?status=resolved",
  "/failures/rows?table=orders&code=choice",
  "/failures/retry?table=order_line_items&code=required&field=name",
  "/keys?ended=true",
  "/tokens?ended=true",
  "/to-order?grouped=true",
  "/to-order?tab=upcoming",
  "/purchase-orders?tab=pending_approval",
  "/purchase-orders/PO-3149",
  "/purchase-orders/new?supplier=$supplier",
  "/audit?what=key.issued",
  "/insights?tab=seasons",
  "/insights?tab=families",
  "/insights?tab=demand",
  "/insights?tab=customers",
  "/playbook?tab=strategies",
  "/playbook?tab=sops",
  "/agent-runs/$run?tab=left_out",
  "/connections/$connection?tab=orders",
  "/connections/$connection?tab=conflicts",
  "/connections/$connection?tab=map",
  "/connections/$connection?tab=dry-run",
];

/** The addresses of the pages below a route. */
function addresses(route: AnyRoute, base = ""): string[] {
  const { path: own = "" } = route.options as { path?: string };
  const path = own === "/" ? base : base + own;
  const children = Object.values((route.children ?? []) as AnyRoute[]);
  return children.length > 0 ? children.flatMap((child) => addresses(child, path)) : [path];
}

const workspace = "/w/$workspace";
const all = addresses(routeTree as AnyRoute);

export const inside = [
  ...new Set([
    ...all
      .filter((path) => path.startsWith(workspace))
      .map((path) => path.slice(workspace.length).replaceAll(/\$\w+/g, (name) => demo[name] ?? name)),
    ...states,
  ]),
];
/** Without "/", which redirects to a workspace. Links in mails have their token behind the hash. */
export const outside = [
  ...all
    .filter((path) => path !== "" && !path.startsWith(workspace))
    .map((path) => (path === "/reset-password" || path === "/invitation" ? `${path}#token` : path)),
  "/nowhere",
];

/** A file with a known column, an unknown column, and a column with a refused value. */
async function uploadFile(context: BrowserContext, workspace: string): Promise<string> {
  const rows = Array.from({ length: 30 }, (_, i) => `S-${i},Supplier ${i},${i === 2 ? "soon" : i},${40 + i}`);
  const answer = await context.request.post(
    `/api/app/workspaces/${workspace}/sources/suppliers/imports?name=suppliers.csv`,
    {
      headers: { "Content-Type": "application/octet-stream" },
      data: `External ID,Supplier Name,Lead time (days),Shoe size\n${rows.join("\n")}\n`,
    },
  );
  expect(answer.status()).toBe(201);
  return (await answer.json()).id;
}

/** An article of the demo that has a family, so that every part of its page has content. */
async function anArticle(context: BrowserContext, workspace: string): Promise<string> {
  const path = `/api/app/workspaces/${workspace}/tables/product_demand/rows`;
  const params = { sort_by: "units_84", sort_desc: true, limit: 1 };
  const { items } = await (await context.request.get(path, { params })).json();
  return items[0].values.product_id;
}

/** The customer with the most orders. */
async function aCustomer(context: BrowserContext, workspace: string): Promise<string> {
  const path = `/api/app/workspaces/${workspace}/tables/customer_reorder_due/rows`;
  const params = { sort_by: "orders", sort_desc: true, limit: 1 };
  const { items } = await (await context.request.get(path, { params })).json();
  return items[0].values.customer_id;
}

/**
 * A dry run of the procurement agent that has ended, made once. It must be dry: a real run would draft what an
 * earlier test has put into the queue.
 */
async function aDryRun(context: BrowserContext, workspace: string): Promise<string> {
  const path = `/api/app/workspaces/${workspace}/procurement/runs`;
  const ended = async (): Promise<string | undefined> => {
    const { items } = await (await context.request.get(path)).json();
    return items.find((run: { dry: boolean; status: string }) => run.dry && run.status === "done")?.id;
  };
  if (!(await ended())) {
    const answer = await context.request.post(path, { data: { dry: true } });
    expect(answer.status(), await answer.text()).toBe(201);
    await expect.poll(ended, { timeout: 120_000 }).toBeTruthy();
  }
  return (await ended()) ?? "";
}

/** The supplier with the most urgent article to order. */
async function aSupplier(context: BrowserContext, workspace: string): Promise<string> {
  const path = `/api/app/workspaces/${workspace}/procurement/summary`;
  const { suppliers } = await (await context.request.get(path)).json();
  return suppliers.find((one: { supplier?: object }) => one.supplier).supplier.id;
}

/** A connection that was never in use, made once: a workspace has one for each system. */
async function aConnection(context: BrowserContext, workspace: string): Promise<string> {
  const path = `/api/app/workspaces/${workspace}/connections`;
  const { items } = await (await context.request.get(path)).json();
  if (items.length > 0) return items[0].id;
  const made = await context.request.post(path, {
    data: { system: "katana", name: "Katana", address: "http://127.0.0.1:9", token: "none", may_load: true },
  });
  expect(made.status(), await made.text()).toBe(201);
  return (await made.json()).id;
}

/** The full address of a page for the admin; signs in if the page needs a session. */
export async function addressOf(context: BrowserContext, path: string): Promise<string> {
  if (!inside.includes(path)) return path;
  const workspace = await enter(context, "admin");
  let address = path;
  if (path.includes("$import")) address = path.replace("$import", await uploadFile(context, workspace));
  if (path.includes("$record")) address = path.replace("$record", await anArticle(context, workspace));
  if (path.includes("$supplier")) address = path.replace("$supplier", await aSupplier(context, workspace));
  if (path.includes("$customer")) address = path.replace("$customer", await aCustomer(context, workspace));
  if (path.includes("$run")) address = path.replace("$run", await aDryRun(context, workspace));
  if (path.includes("$connection"))
    address = path.replace("$connection", await aConnection(context, workspace));
  return `/w/${workspace}${address}`;
}
