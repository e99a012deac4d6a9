import { readFileSync } from "node:fs";
import { type BrowserContext, expect, test } from "@playwright/test";
import { expectAccessible, expectNoSidewaysScroll, open, switchTheme, views, watch } from "../support";
import { enter } from "./people";

// Every page there is; a test at the end holds the lists against the router.
const outside = ["/sign-in", "/forgot-password", "/reset-password#token", "/invitation#token", "/nowhere"];
const inside = [
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

for (const { name, width, height, theme, other } of views) {
  test.describe(name, () => {
    test.use({ viewport: { width, height }, hasTouch: name === "phone" });
    for (const path of [...outside, ...inside]) {
      test(path || "first steps", async ({ page, context }) => {
        const faults = watch(page);
        const signedIn = inside.includes(path);
        const workspace = signedIn ? await enter(context, "admin") : "";
        const address = path.includes("$import")
          ? path.replace("$import", await uploadFile(context, workspace))
          : path;
        await open(page, signedIn ? `/w/${workspace}${address}` : address, theme);
        const file = path.replaceAll(/[^a-zA-Z0-9_]+/g, "-").replaceAll(/^-|-$/g, "") || "first-steps";
        const shot = (theme: string) =>
          page.screenshot({
            path: `e2e/screenshots/${file}-${theme}-${name}.png`,
            fullPage: true,
            animations: "disabled",
          });
        await expectAccessible(page);
        await expectNoSidewaysScroll(page);
        // For people to look at: SHOTS=1 npm run e2e.
        if (process.env.SHOTS) {
          await shot(theme);
          await switchTheme(page, other);
          await shot(other);
        }
        // A link that is not valid is refused by the API, which browsers log.
        const refused = path === "/invitation#token";
        expect(faults.filter((fault) => !refused || !fault.includes("404 (Not Found)"))).toEqual([]);
      });
    }
  });
}

test("no page is missing here", () => {
  const router = readFileSync(new URL("../../src/app/router.tsx", import.meta.url), "utf8");
  const routes = [...router.matchAll(/path: "([^"]+)"/g)].map((found) => found[1] ?? "");
  const walked = [...outside, ...inside].map((path) => path.replace(/[?#].*/, ""));
  const expected = routes
    .filter((route) => !route.startsWith("/_kit") && route !== "/w/$workspace")
    .map((route) => (route === "/" ? "" : route.replace("$slug", "orders").replace("$order", "PO-3101")));
  expect(expected.length).toBeGreaterThan(10);
  for (const route of expected) expect(walked).toContain(route);
});
