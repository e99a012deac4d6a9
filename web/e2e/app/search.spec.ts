import { expect, type Page, test } from "@playwright/test";
import { expectAccessible, watch } from "../support";
import { enter, send } from "./people";
import { countPresses } from "./presses";

const box = (page: Page) => page.getByRole("combobox", { name: "Search commands" });

test("the palette finds an order by its number and a supplier by a word, by keyboard alone", async ({
  page,
  context,
  request,
}) => {
  const faults = watch(page);
  const workspace = await enter(context, "admin");
  const made = await context.request.post(`/api/app/workspaces/${workspace}/keys`, {
    data: { label: "Key of the search", scope: "*" },
  });
  const { secret } = await made.json();
  const supplier = { external_id: "quillfeather", name: "Old Quillfeather Mills" };
  expect((await send(request, "suppliers", secret, supplier)).status()).toBeLessThan(300);
  const line = { external_id: "qf-1", order_no: "QF-9001", sku: "QF", quantity_ordered: 1 };
  expect((await send(request, "purchase_order_lines", secret, line)).status()).toBeLessThan(300);

  await page.goto(`/w/${workspace}/members`);
  await page.getByRole("heading", { name: "Members", level: 1 }).waitFor();
  await page.keyboard.press("ControlOrMeta+k");
  await box(page).fill("quillf mil");
  const hit = page.getByRole("group", { name: "Suppliers" }).getByRole("option");
  await expect(hit).toHaveText(/Old Quillfeather Mills.*quillfeather/);
  await expect(hit).toHaveAttribute("aria-selected", "true");
  await expectAccessible(page);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/suppliers\/[0-9a-f-]{36}$/);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Old Quillfeather Mills");

  // Enter pressed before the search has answered waits for the answer.
  await page.keyboard.press("ControlOrMeta+k");
  await box(page).fill("qf90");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/purchase-orders\/QF-9001$/);
  await expect(page.getByRole("heading", { name: /QF-9001/, level: 1 })).toBeVisible();

  // From anywhere to the guide for one's tasks.
  const presses = countPresses(page);
  await presses.key("ControlOrMeta+k");
  await box(page).fill("guide for buyers");
  await expect(page.getByRole("option", { name: "Guide for buyers" })).toHaveAttribute(
    "aria-selected",
    "true",
  );
  const opened = context.waitForEvent("page");
  await presses.key("Enter");
  await expect((await opened).getByRole("heading", { level: 1 })).toContainText("buyer");
  presses.expectAtMost(2);
  expect(faults).toEqual([]);
});

test("a search that fails says so, and can be tried again; commands go on", async ({ page, context }) => {
  const workspace = await enter(context, "viewer");
  await page.goto(`/w/${workspace}/members`);
  await page.getByRole("heading", { name: "Members", level: 1 }).waitFor();
  const searches = "**/api/app/workspaces/*/search?*";
  await page.route(searches, (route) => route.abort());
  await page.keyboard.press("ControlOrMeta+k");
  await box(page).fill("tables");
  await expect(page.getByRole("alert")).toBeVisible();
  await expect(page.getByRole("option", { name: "Tables" })).toBeVisible();
  await page.unroute(searches);
  await page.getByRole("button", { name: "Try again" }).click();
  await expect(page.getByRole("alert")).toHaveCount(0);
});
