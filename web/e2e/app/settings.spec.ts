import { expect, test } from "@playwright/test";
import { watch } from "../support";
import { enter, password, signIn } from "./people";

test("an invitation by link makes a member who sees no keys", async ({ page, context, browser }) => {
  const faults = watch(page);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const workspace = await enter(context, "empty");
  await page.goto(`/w/${workspace}/members`);
  // Started from the empty state, which goes when the invitation exists: the link must stay.
  await page.getByRole("button", { name: "Invite a member" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Email").fill("frank@demo.example");
  await dialog.getByRole("button", { name: "Invite", exact: true }).click();
  await dialog.getByRole("button", { name: "Copy", exact: true }).click();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  await dialog.getByRole("button", { name: "I sent it" }).click();
  await expect(page.getByText("frank@demo.example", { exact: true })).toBeVisible();

  const other = await browser.newContext();
  const theirs = await other.newPage();
  await theirs.goto(link);
  await expect(theirs.getByText("Empty Quay")).toBeVisible();
  expect(theirs.url()).not.toContain(link.split("#")[1]);
  await theirs.getByLabel("Your name").fill("Frank Fresh");
  await theirs.getByRole("textbox", { name: "Password" }).fill(password);
  await theirs.getByRole("button", { name: /accept|join/i }).click();
  await theirs.waitForURL(/\/w\//);

  await page.reload();
  const row = page.getByRole("row").filter({ hasText: "Frank Fresh" });
  await expect(row).toBeVisible();
  await expect(theirs.getByRole("link", { name: "API keys" })).toHaveCount(0);
  await other.close();
  expect(faults).toEqual([]);
});

test("a new workspace is in the switcher, and its week start can be changed", async ({ page, context }) => {
  const workspace = await enter(context, "empty");
  await page.goto(`/w/${workspace}/workspaces`);
  await page.getByRole("button", { name: "New workspace" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Second Quay");
  const week = dialog.getByRole("combobox", { name: "Week starts on" });
  await expect(week).toHaveText("Monday");
  await week.click();
  await page.getByRole("option", { name: "Saturday" }).click();
  await dialog.getByRole("button", { name: "Create workspace" }).click();
  await expect(dialog).toHaveCount(0);
  const row = page.getByRole("row").filter({ hasText: "Second Quay" });
  await expect(row.getByRole("cell", { name: "Saturday", exact: true })).toBeVisible();
  await row.getByRole("button", { name: "Edit Second Quay" }).click();
  await expect(week).toHaveText("Saturday");
  await week.click();
  await page.getByRole("option", { name: "Sunday" }).click();
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog).toHaveCount(0);
  await expect(row.getByRole("cell", { name: "Sunday", exact: true })).toBeVisible();
  await page
    .getByRole("button", { name: /Switch workspace/ })
    .first()
    .click();
  await page.getByRole("menuitem", { name: "Second Quay" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Today" })).toBeVisible();
  await expect(page.getByRole("button", { name: /^Empty Quay\s*Second Quay/ })).toBeVisible();
});

test("a stolen session ends when its owner says so", async ({ page, browser, baseURL }) => {
  await signIn(page, "approver");
  const thief = await browser.newContext({ baseURL: baseURL ?? "" });
  await enter(thief, "approver");
  await page.goto(page.url().replace(/(\/w\/[^/]+).*/, "$1/you"));
  await page.getByRole("button", { name: "End all others" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: /end/i }).click();
  await expect.poll(async () => (await thief.request.get("/api/app/session")).status()).toBe(401);
  await thief.close();
});
