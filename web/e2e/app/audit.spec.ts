import { expect, test } from "@playwright/test";
import { watch } from "../support";
import { enter } from "./people";
import { countPresses } from "./presses";

test("what an admin does is in the audit log", async ({ page, context }) => {
  const faults = watch(page);
  const workspace = await enter(context, "admin");
  const label = `Till of ${Date.now()}`;
  const made = await context.request.post(`/api/app/workspaces/${workspace}/keys`, {
    data: { label, scope: "orders" },
  });
  const { key } = await made.json();
  await context.request.post(`/api/app/workspaces/${workspace}/keys/${key.id}/revoke`);

  await page.goto(`/w/${workspace}`);
  const presses = countPresses(page);
  await presses.click(page.getByRole("link", { name: "Audit log" }).first());
  const row = page.getByRole("row").filter({ hasText: `created the API key “${label}” for orders` });
  await expect(row).toContainText("Ada");
  await expect(row.getByRole("button", { name: "Copy request id" })).toBeVisible();

  // First every entry about that key, then only its revocation. The address holds both filters.
  await presses.click(row.getByRole("link", { name: `Everything about ${label}` }));
  presses.expectAtMost(2);
  await expect(page.getByRole("row")).toHaveCount(3);
  await page.getByRole("combobox", { name: "What" }).click();
  await page.getByRole("option", { name: "API key revoked" }).click();
  await expect(page.getByRole("row")).toHaveCount(2);
  await expect(page.getByRole("row").last()).toContainText(`revoked the API key “${label}”`);
  expect(new URL(page.url()).search).toBe(`?about=${key.id}&what=key.revoked`);
  await page.reload();
  await expect(page.getByRole("row")).toHaveCount(2);

  await page.getByRole("combobox", { name: "Who" }).click();
  await page.getByRole("option", { name: "Command line" }).click();
  await expect(page.getByText("Nothing in the log matches.")).toBeVisible();
  await page.getByRole("button", { name: "Clear" }).click();
  await expect(row).toBeVisible();
  expect(new URL(page.url()).search).toBe("");
  expect(faults).toEqual([]);
});

test("who is no Company-Admin is told so", async ({ page, context }) => {
  const workspace = await enter(context, "viewer");
  await page.goto(`/w/${workspace}/audit`);
  await expect(page.getByText("Only Company-Admins can read the audit log.")).toBeVisible();
  await expect(page.getByRole("link", { name: "Audit log" })).toHaveCount(0);
});
