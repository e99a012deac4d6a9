import { type BrowserContext, expect, test } from "@playwright/test";
import { watch } from "../support";
import { enter } from "./people";

/** Makes a workspace for the test alone: other tests change the rules of theirs, and so its config. */
async function newWorkspace(context: BrowserContext): Promise<string> {
  await enter(context, "admin");
  const person = await (await context.request.get("/api/app/session")).json();
  const made = await context.request.post(`/api/app/tenants/${person.tenants[0].id}/workspaces`, {
    data: { name: `Playbook ${Date.now()}` },
  });
  expect(made.status()).toBe(201);
  return (await made.json()).id;
}

test("the config is changed, refused and compared", async ({ page, context }) => {
  const faults = watch(page);
  const workspace = await newWorkspace(context);
  await page.goto(`/w/${workspace}/playbook`);
  const cover = page.getByLabel("Cover days", { exact: true });
  await expect(cover).toHaveValue("30");
  await cover.fill("0");
  await page.getByRole("button", { name: "Save config" }).click();
  await expect(page.getByText("must be between 1 and 365")).toBeVisible();
  await cover.fill("45");
  await page.getByLabel("Note").fill("Longer cover");
  await page.getByRole("button", { name: "Save config" }).click();
  await expect(page.getByText("Longer cover")).toBeVisible();
  await cover.fill("50");
  await page.getByRole("button", { name: "Save config" }).click();
  await page.getByRole("button", { name: "Show the changes of version 2" }).click();
  await expect(page.locator("ins")).toContainText("50");
  await page.reload();
  await expect(cover).toHaveValue("50");
  expect(faults.filter((fault) => !fault.includes("422"))).toEqual([]);
});

test("a strategy and an SOP are written, listed and compared", async ({ page, context }) => {
  const faults = watch(page);
  const workspace = await newWorkspace(context);
  await page.goto(`/w/${workspace}/playbook?tab=strategies`);
  await page.getByRole("link", { name: "New strategy" }).click();
  await page.getByLabel("Title").fill("Tea lasts longer");
  await page.getByRole("combobox", { name: "Applies to" }).click();
  await page.getByRole("option", { name: "A family" }).click();
  await page.getByLabel("Target").fill("Tea");
  await page.getByRole("textbox", { name: "Text", exact: true }).fill("# Why\n\nTea *keeps* for a year.");
  await page.getByRole("tab", { name: "Preview" }).click();
  await expect(page.getByRole("heading", { name: "Why" })).toBeVisible();
  await page.getByLabel(/^Cover days/).fill("60");
  await page.getByRole("button", { name: "Save strategy" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Tea lasts longer" })).toBeVisible();
  await page.getByRole("combobox", { name: "Status" }).click();
  await page.getByRole("option", { name: /^Active/ }).click();
  await page.getByRole("button", { name: "Save strategy" }).click();
  await page.getByRole("button", { name: "Show the changes of version 2" }).click();
  await expect(page.locator("ins")).toContainText("active");
  await page.getByRole("link", { name: "Strategies" }).click();
  const row = page.getByRole("row").filter({ hasText: "Tea lasts longer" });
  await expect(row).toContainText("A family: Tea");
  await expect(row).toContainText("Active");

  await page.getByRole("tab", { name: "SOPs" }).click();
  await page.getByRole("link", { name: "New SOP" }).click();
  await page.getByLabel("Title").fill("Late delivery");
  await page.getByLabel("Slug").fill("late-delivery");
  await page.getByLabel("Review on").fill("2026-01-31");
  await page.getByRole("button", { name: "Save SOP" }).click();
  await page.waitForURL(/sops\/late-delivery$/);
  await expect(page.getByLabel("Slug")).toBeDisabled();
  await page.getByRole("link", { name: "SOPs" }).click();
  await expect(page.getByRole("row").filter({ hasText: "Late delivery" })).toContainText("Review due");
  expect(faults).toEqual([]);
});

test("others read the playbook and cannot change it", async ({ page, context }) => {
  const workspace = await enter(context, "buyer");
  await page.goto(`/w/${workspace}/playbook`);
  await expect(page.getByLabel("Cover days", { exact: true })).toBeDisabled();
  await expect(page.getByRole("button", { name: "Save config" })).toHaveCount(0);
});
