import { expect, test } from "@playwright/test";
import { expectAccessible, says, watch } from "../support";
import { enter, send, signIn } from "./people";

test("a key's life: made, copied, used, seen at work, revoked", async ({ page, context, request }) => {
  test.slow(); // figures are flushed every few seconds, and the test waits for them twice
  const faults = watch(page);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await signIn(page, "admin");
  await page.getByRole("link", { name: "Sources" }).first().click();
  await page.getByRole("link", { name: "Meeting Notes", exact: true }).click();
  await page.getByRole("heading", { name: "Meeting Notes", level: 1 }).waitFor();
  const rows = page.locator("dl").filter({ hasText: "Open failures" }).locator("dd").first();
  const before = Number((await rows.innerText()).replaceAll(/\D/g, ""));

  await page.getByRole("button", { name: "Create a key", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Create key" }).click();
  await expect(dialog.getByText("Say what the key is for.")).toBeVisible();
  await dialog.getByLabel("Label").fill("Browser test");
  await dialog.getByRole("button", { name: "Create key" }).click();
  const saved = dialog.getByRole("button", { name: "I saved it" });
  await expect(saved).toBeDisabled();
  await expectAccessible(page, { overlay: true });
  await dialog.getByRole("button", { name: "Copy", exact: true }).click();
  const key = await page.evaluate(() => navigator.clipboard.readText());
  expect(key).toMatch(/^pk_[0-9a-f]{48}$/);
  await saved.click();
  await expect(dialog).toBeHidden();

  const stored = await send(request, "meeting_notes", key, {
    external_id: "browser-1",
    title: "From the browser test",
    started_at: "2026-03-14T09:30:00Z",
  });
  expect(await stored.text()).toBe('{"ok":true,"event_type":"ingest.meeting_notes.received"}');
  await expect(rows).toHaveText(String(before + 1));
  const refused = await send(request, "orders", key, { external_id: "x" });
  expect(refused.status()).toBe(403);

  const row = page.getByRole("row").filter({ hasText: "Browser test" });
  await expect(row).toContainText("Live");
  await expect(row.getByRole("cell").nth(3)).toHaveText("2");
  await row.getByRole("button", { name: "Actions for Browser test" }).click();
  await page.getByRole("menuitem", { name: "Revoke…" }).click();
  await expect(page.getByRole("alertdialog")).toContainText("2 calls");
  await says(page, "“Browser test” is revoked", () =>
    page.getByRole("alertdialog").getByRole("button", { name: "Revoke key" }).click(),
  );
  expect((await send(request, "meeting_notes", key, { external_id: "browser-2" })).status()).toBe(401);
  expect(faults).toEqual([]);
});

test("rotation lets the old key live on", async ({ page, context, request }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const workspace = await enter(context, "admin");
  const made = await (
    await context.request.post(`/api/app/workspaces/${workspace}/keys`, {
      data: { label: "To rotate", scope: "suppliers" },
    })
  ).json();
  await page.goto(`/w/${workspace}/keys`);
  await page.getByRole("button", { name: "Actions for To rotate" }).click();
  await page.getByRole("menuitem", { name: "Rotate…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Rotate key" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Copy", exact: true }).click();
  const successor = await page.evaluate(() => navigator.clipboard.readText());
  expect(successor).not.toBe(made.secret);
  await page.getByRole("dialog").getByRole("button", { name: "I saved it" }).click();
  for (const key of [made.secret, successor]) {
    const stored = await send(request, "suppliers", key, { external_id: "rotated", name: "Rotated" });
    expect(stored.status()).toBe(200);
  }
  await expect(page.getByRole("row").filter({ hasText: "Replaced" })).toContainText("To rotate");
});

test("a viewer sees the tables and no keys, and the API refuses", async ({ page, context }) => {
  const workspace = await enter(context, "viewer");
  await page.goto(`/w/${workspace}/sources`);
  await expect(page.getByRole("link", { name: "Orders", exact: true })).toBeVisible();
  await expect(page.getByRole("link", { name: "API keys" })).toHaveCount(0);
  await expect(page.getByText("Master Import Key", { exact: true })).toHaveCount(0);
  await page.goto(`/w/${workspace}/sources/orders`);
  await expect(page.getByRole("heading", { name: "Send a record" })).toBeVisible();
  await expect(page.getByText("Keys for Orders")).toHaveCount(0);
  await expect(page.getByRole("tab", { name: "Test record" })).toHaveCount(0);
  await page.goto(`/w/${workspace}/keys`);
  await expect(page.getByText("Only Company-Admins can see and create keys.")).toBeVisible();
  expect((await context.request.get(`/api/app/workspaces/${workspace}/keys`)).status()).toBe(403);
});
