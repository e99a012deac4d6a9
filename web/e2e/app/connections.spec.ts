import { createHmac } from "node:crypto";
import { type BrowserContext, expect, type Page, test } from "@playwright/test";
import {
  expectAccessible,
  expectNoSidewaysScroll,
  expectReadable,
  says,
  switchTheme,
  views,
  watch,
} from "../support";
import { Inventory } from "./inventory";
import { enter, makeKey, send } from "./people";

let other: Inventory;

test.beforeAll(async () => {
  other = await Inventory.start({
    suppliers: [
      { name: "HARBOUR TEAS", currency: "EUR" },
      { name: "Northern Mills Ltd" },
      { name: "Southern Oils" },
    ],
    variants: [{ sku: "TEA-1" }, { sku: "CUP-1" }, { sku: "POT-1" }],
    locations: [{ name: "Main warehouse" }, { name: "Quay shed" }],
  });
});

test.afterAll(() => other.stop());

/** A workspace of its own with two orders: one of a supplier that is surely known there, one of another. */
async function aWorkspace(context: BrowserContext, name: string): Promise<string> {
  await enter(context, "admin");
  const { tenants } = await (await context.request.get("/api/app/session")).json();
  const made = await context.request.post(`/api/app/tenants/${tenants[0].id}/workspaces`, {
    data: { name, time_zone: "UTC", base_currency: "EUR", locale: "en-GB", week_start: "monday" },
  });
  expect(made.status()).toBe(201);
  const workspace = (await made.json()).id;
  const key = await makeKey(context, workspace, "*", name);
  const records: [string, object][] = [
    ["suppliers", { external_id: `${name}-1`, name: "Harbour Teas" }],
    ["suppliers", { external_id: `${name}-2`, name: "Northern Mill" }],
    ["products", { external_id: `${name}-tea`, sku: "TEA-1", name: "Earl Grey", supplier_id: `${name}-1` }],
    ["products", { external_id: `${name}-cup`, sku: "CUP-1", name: "Cup", supplier_id: `${name}-2` }],
    ...[1, 2].map((n): [string, object] => [
      "purchase_order_lines",
      {
        external_id: `${name}-line-${n}`,
        order_no: `${name}-${n}`,
        sku: n === 1 ? "TEA-1" : "CUP-1",
        status: "ordered",
        quantity_ordered: 10 * n,
        price_per_unit: 2.5,
        currency: "EUR",
      },
    ]),
  ];
  for (const [slug, record] of records) {
    const answer = await send(context.request, slug, key, record);
    expect(answer.ok(), await answer.text()).toBe(true);
  }
  return workspace;
}

/** Connects through the screens, and waits for the test. */
async function connect(page: Page, workspace: string) {
  await page.goto(`/w/${workspace}/connections`);
  await page.getByRole("button", { name: "Connect Katana" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Address" }).fill(`${other.address}/v1`);
  await dialog.getByLabel("Token").fill(other.token);
  await dialog.getByRole("button", { name: "Connect and test" }).click();
  await expect(page.getByText("It answered and took the token")).toBeVisible();
}

test("connect, choose the location, map, dry run, start, pause and delete", async ({
  page,
  context,
  request,
}) => {
  const faults = watch(page);
  const workspace = await aWorkspace(context, `walk-${Date.now()}`);
  await page.goto(`/w/${workspace}`);
  await page.getByRole("link", { name: "Connections" }).first().click();
  await expect(page.getByText("Nothing is written before you start it.")).toBeVisible();
  await page.keyboard.press("n");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Address" }).fill(`${other.address}/v1`);
  await dialog.getByRole("button", { name: "Connect and test" }).click();
  await expect(dialog.getByText("Enter the token that you made there.")).toBeVisible();
  await dialog.getByLabel("Token").fill("wrong-token-1234");
  await expectAccessible(page, { overlay: true });
  await dialog.getByRole("button", { name: "Connect and test" }).click();

  // The test says in words what is wrong; the token is replaced, and it passes.
  await expect(page.getByText("does not accept the token").first()).toBeVisible();
  await page.getByRole("button", { name: "Change…", exact: true }).click();
  await dialog.getByLabel("New token").fill(other.token);
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog).toHaveCount(0);
  await expect(page.getByText("Not tested with this address and token.")).toBeVisible();
  await page.getByRole("button", { name: /^Test/ }).click();
  await expect(page.getByText("It answered and took the token")).toBeVisible();
  expect(await page.content()).not.toContain(other.token);

  // It cannot be started without a location.
  await page.getByRole("button", { name: "Start syncing" }).click();
  const question = page.getByRole("alertdialog");
  await question.getByRole("button", { name: "Start syncing" }).click();
  await expect(question.getByText(/choose the location/i)).toBeVisible();
  await question.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Change settings…" }).click();
  await dialog.getByRole("combobox", { name: "Location" }).click();
  await page.getByRole("option", { name: "Main warehouse" }).click();
  await expectAccessible(page, { overlay: true });
  await says(page, "Settings saved", () => dialog.getByRole("button", { name: "Save" }).click());
  await expect(page.getByRole("tabpanel", { name: "Overview" }).getByText("Main warehouse")).toBeVisible();
  await expect(page.getByText("2 suppliers of open orders have no counterpart yet.")).toBeVisible();

  // Its webhooks: the address to send them to, and their secret, which is refused if it is short.
  const hooks = await page.getByText("/hooks/inventory/").innerText();
  expect(hooks).toBe(page.url().replace(/\/w\/.*\/connections\//, "/hooks/inventory/"));
  await page.getByRole("button", { name: "Set secret…" }).click();
  await dialog.getByLabel("Secret").fill("short");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog.getByText("A secret has at least 16 characters.")).toBeVisible();
  await expectAccessible(page, { overlay: true });
  await dialog.getByLabel("Secret").fill("of-the-webhooks-there");
  await says(page, "The secret of the webhooks is set", () =>
    dialog.getByRole("button", { name: "Save" }).click(),
  );
  await expect(page.getByRole("button", { name: "Change secret…" })).toBeVisible();

  // One supplier is sure; the other is similar, and somebody else is chosen by hand, then it.
  await page.getByRole("button", { name: "Open the map" }).click();
  const sure = page.getByRole("row").filter({ hasText: "Harbour Teas" });
  const similar = page.getByRole("row").filter({ hasText: "Northern Mill" });
  await expect(sure).toContainText("sure");
  await expect(similar).toContainText("Northern Mills Ltd");
  await says(page, "1 counterpart accepted", () =>
    page.getByRole("button", { name: "Accept sure suggestions" }).click(),
  );
  await expect(sure).toContainText("HARBOUR TEAS id");
  await similar.getByRole("button", { name: /^Another/ }).click();
  await dialog.getByLabel("Name there").fill("oils");
  await page.getByRole("option", { name: /Southern Oils/ }).click();
  await expect(similar).toContainText("Southern Oils id");
  await says(page, "Northern Mill has no counterpart now", () =>
    similar.getByRole("button", { name: /^Forget/ }).click(),
  );
  await expect(similar.getByRole("button", { name: /Northern Mills Ltd/ })).toBeVisible();

  // The dry run: one order would be created, the other is held.
  await page.getByRole("tab", { name: "Dry run" }).click();
  await page.getByRole("button", { name: "Run it" }).click();
  await expect(page.getByText(/Looked at 2 of 2 open orders here and at 0 orders there/)).toBeVisible();
  const orders = page.getByRole("list", { name: "Orders" }).getByRole("listitem");
  await expect(orders.filter({ hasText: "Held" })).toContainText(
    "The supplier Northern Mill has no counterpart",
  );
  await expect(orders.filter({ hasText: "Created there" })).toContainText("TEA-1 new, 10");
  await page.getByRole("button", { name: /Created there/ }).click();
  await expect(orders).toHaveCount(1);

  await page.getByRole("button", { name: "Start syncing" }).click();
  await says(page, "Katana is in use", () => question.getByRole("button", { name: "Start syncing" }).click());

  // Only what is signed with the secret is heard.
  const body = JSON.stringify({
    resource_type: "purchase_order",
    action: "purchase_order.updated",
    object: { id: "1" },
  });
  const signed = createHmac("sha256", "of-the-webhooks-there").update(body).digest("hex");
  const hook = (signature: string) =>
    request.post(hooks, {
      headers: { "Content-Type": "application/json", "X-Sha2-Signature": signature },
      data: Buffer.from(body),
    });
  expect((await hook(signed)).ok()).toBe(true);
  expect((await hook("00")).status()).toBe(401);

  await page.getByRole("tab", { name: "Overview" }).click();
  await page.getByRole("button", { name: "Pause…" }).click();
  await dialog.getByLabel("Reason").fill("Stock-taking");
  await dialog.getByRole("button", { name: "Pause" }).click();
  await expect(page.getByText("Stock-taking")).toBeVisible();

  await page.getByRole("button", { name: "Delete connection…" }).click();
  await question.getByLabel(/^Type/).fill("Katana");
  await question.getByRole("button", { name: "Delete connection" }).click();
  await expect(page.getByRole("button", { name: "Connect Katana" })).toBeVisible();
  // A refused start is logged by the browser.
  expect(faults.filter((fault) => !fault.includes("422"))).toEqual([]);
});

for (const view of views) {
  const { name, width, height, theme, other: otherTheme } = view;
  test.describe(name, () => {
    test.use({ viewport: { width, height }, hasTouch: name === "phone" });
    test("the screens of a connection", async ({ page, context }) => {
      const workspace = await aWorkspace(context, `look-${name}-${Date.now()}`);
      await page.addInitScript((value) => localStorage.setItem("quayside.theme", value), theme);
      const look = async (what: string) => {
        await expectNoSidewaysScroll(page);
        for (const one of [otherTheme, theme]) {
          await switchTheme(page, one);
          if (one === theme) await expectAccessible(page);
          else await expectReadable(page);
          await page.screenshot({
            path: `e2e/screenshots/connections-${what}-${one}-${name}.png`,
            fullPage: true,
            animations: "disabled",
          });
        }
      };
      await page.goto(`/w/${workspace}/connections`);
      await expect(page.getByRole("button", { name: "Connect Katana" })).toBeVisible();
      await look("none");
      await connect(page, workspace);
      await look("overview");
      await page.getByRole("tab", { name: "Map" }).click();
      await expect(page.getByText("sure").first()).toBeVisible();
      await look("map");
      await page.getByRole("tab", { name: "Dry run" }).click();
      await page.getByRole("button", { name: "Run it" }).click();
      await expect(page.getByText(/^Looked at 2 of 2/)).toBeVisible();
      await look("dry-run");
    });
  });
}
