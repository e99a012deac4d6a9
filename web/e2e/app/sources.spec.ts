import { expect, test } from "@playwright/test";
import { watch } from "../support";
import { enter, password, people, send } from "./people";

test("first steps: from an empty company to the first record", async ({ page, context, request }) => {
  const faults = watch(page);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto(`/w/${await enter(context, "empty")}/first-steps`);
  await expect(page.getByRole("heading", { name: "Welcome, Eve" })).toBeVisible();
  await page.getByRole("radio", { name: /Suppliers/ }).check();
  await page.getByRole("button", { name: "Create a key for Suppliers" }).click();
  await page.getByRole("button", { name: "Copy the key" }).click();
  const key = await page.evaluate(() => navigator.clipboard.readText());
  await expect(page.locator("pre").first()).toContainText(`Bearer ${key.slice(0, 11)}•`);
  await expect(page.locator("body")).not.toContainText(key);
  await expect(page.getByText("Listening for the first record…")).toBeVisible();
  const stored = await send(request, "suppliers", key, { external_id: "SUP-1", name: "Harbour Teas" });
  expect(stored.headers()["ingest-result"]).toBe("created");
  await expect(page.getByText("It arrived.")).toBeVisible();
  expect(faults).toEqual([]);
});

test("a trial shows the exact refusal, and what would be stored", async ({ page, context }) => {
  const workspace = await enter(context, "buyer");
  await page.goto(`/w/${workspace}/sources/suppliers?tab=try`);
  const record = page.getByLabel("The record as JSON");
  await record.fill('{"external_id": "S9", "name": "Nine", "lead_time_days": "soon"}');
  await page.getByRole("button", { name: "Send test record" }).click();
  await expect(page.getByText("422 refused")).toBeVisible();
  await expect(page.locator("li").filter({ hasText: "lead_time_days" })).toContainText("soon");
  await record.fill('{"external_id": "S9", "name": "Nine", "lead_time_days": "7", "colour": "red"}');
  await record.press("ControlOrMeta+Enter");
  await expect(page.getByText("200 accepted")).toBeVisible();
  await expect(page.getByText("It would be stored as a new row.")).toBeVisible();
  await expect(page.getByText("colour", { exact: true })).toBeVisible();
});

test("every template of a table can be downloaded", async ({ page, context }) => {
  const workspace = await enter(context, "viewer");
  await page.goto(`/w/${workspace}/sources/orders?tab=templates`);
  for (const name of ["Make", "n8n"]) {
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: `Download for ${name}` }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/\.json$/);
  }
});

test("the palette goes to pages by keyboard alone", async ({ page, context }) => {
  const workspace = await enter(context, "admin");
  await page.goto(`/w/${workspace}`);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.keyboard.press("ControlOrMeta+k");
  await page.getByRole("combobox", { name: "Search commands" }).fill("members");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "Members", level: 1 })).toBeVisible();
});

test("a session that ended elsewhere leads back to the sign-in, and from there to the page", async ({
  page,
  context,
}) => {
  const workspace = await enter(context, "admin");
  await page.goto(`/w/${workspace}/members`);
  await page.getByRole("heading", { name: "Members", level: 1 }).waitFor();
  let left = 0;
  page.on("request", (request) => {
    if (request.isNavigationRequest()) left++;
  });
  await context.request.delete("/api/app/session");
  await page.getByRole("link", { name: "Sources" }).first().click();
  await page.waitForURL(/\/sign-in\?next=/);
  expect(left, "every call is refused, but the page is left once").toBe(1);
  await page.getByLabel("Email").fill(people.admin);
  await page.getByRole("textbox", { name: "Password" }).fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(/\/sources$/);
});
