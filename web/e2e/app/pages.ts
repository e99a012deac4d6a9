import { type BrowserContext, expect } from "@playwright/test";
import { enter } from "./people";

// Every page there is; a test in pages.spec.ts holds the lists against the router.
export const outside = [
  "/sign-in",
  "/forgot-password",
  "/reset-password#token",
  "/invitation#token",
  "/nowhere",
];
export const inside = [
  "",
  "/tables",
  "/tables/orders",
  "/tables/purchase_order_lines?sort=-updated_at",
  "/sources",
  "/sources/purchase_order_lines",
  "/sources/purchase_order_lines?tab=columns",
  "/sources/orders?tab=try",
  "/sources/orders?tab=templates",
  "/failures",
  "/failures?status=resolved",
  "/failures/rows?table=orders&code=choice",
  "/failures/retry?table=order_line_items&code=required&field=name",
  "/failures/retries",
  "/sources/orders/import",
  "/imports",
  "/imports/$import",
  "/keys",
  "/keys?ended=true",
  "/tokens",
  "/tokens?ended=true",
  "/purchase-orders",
  "/purchase-orders?tab=pending_approval",
  "/purchase-orders/PO-3101",
  "/purchase-orders/PO-3149",
  "/arrivals",
  "/purchasing",
  "/members",
  "/workspaces",
  "/audit",
  "/audit?what=key.issued",
  "/you",
];

/** A file with columns that are found, that are not, and that hold something refused. */
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

/** Where a page is, for the admin; signs in where that is needed. */
export async function addressOf(context: BrowserContext, path: string): Promise<string> {
  if (!inside.includes(path)) return path;
  const workspace = await enter(context, "admin");
  const address = path.includes("$import")
    ? path.replace("$import", await uploadFile(context, workspace))
    : path;
  return `/w/${workspace}${address}`;
}
