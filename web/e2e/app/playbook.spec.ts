import { type BrowserContext, expect, test } from "@playwright/test";
import {
  expectAccessible,
  expectNoSidewaysScroll,
  expectReadable,
  open,
  switchTheme,
  views,
  watch,
} from "../support";
import { enter } from "./people";
import { makeNeed } from "./queue";

/** Makes a workspace for the test alone: an earlier test may have changed the config of the demo's. */
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

test("the effect of a change is seen before it is saved", async ({ page, context, request }) => {
  test.slow();
  const faults = watch(page);
  const workspace = await enter(context, "admin");
  // Only the config says how long its supplier takes.
  const { name } = await makeNeed(context, request, workspace, {});
  const stored = async () => {
    const of = async (part: string) =>
      (await context.request.get(`/api/app/workspaces/${workspace}/playbook/${part}`)).json();
    return [await of("config"), await of("strategies")];
  };
  const before = await stored();
  const [desktop] = views;
  await page.setViewportSize(desktop);
  await open(page, `/w/${workspace}/playbook`, desktop.theme);
  const effect = page.locator("section", { has: page.getByRole("heading", { name: "Effect", exact: true }) });
  const preview = effect.getByRole("button", { name: "Preview the effect" });
  await expect(preview).toBeDisabled();

  const lead = page.getByLabel("Default lead time days", { exact: true });
  await lead.fill("-1");
  await preview.click();
  await expect(effect.getByRole("alert")).toContainText("must be between 0 and 365");
  await lead.fill("60");
  await page.keyboard.press("Control+e");
  // Earlier tests have put articles of their own into the queue, so that the amount differs from run to run.
  await expect(effect.getByText(/^This change adds .*€[\d,.]+ to what to order/)).toBeVisible();
  await expect(effect.getByText(/^Computed for all \d+ articles/)).toBeVisible();
  const row = effect.getByRole("row").filter({ hasText: name });
  await expect(row).toContainText(/Order \d+/);
  for (const view of views) {
    await page.setViewportSize(view);
    await switchTheme(page, view.theme);
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
    await effect.screenshot({ path: `e2e/screenshots/effect-${view.name}-${view.theme}.png` });
    await switchTheme(page, view.other);
    await expectReadable(page);
    await effect.screenshot({ path: `e2e/screenshots/effect-${view.name}-${view.other}.png` });
  }
  await lead.fill("61");
  await expect(effect.getByText("You have changed the form since.")).toBeVisible();
  await lead.fill("60");
  await expect(effect.getByText("You have changed the form since.")).toHaveCount(0);
  await row.getByRole("link", { name }).click();
  await page.getByRole("button", { name: "Leave" }).click();
  await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();

  // A strategy that is still a draft.
  await page.goto(`/w/${workspace}/playbook/strategies/new`);
  await page.getByLabel("Title").fill("Longer");
  await page.getByLabel(/^Default lead time days/).fill("60");
  await preview.click();
  await expect(effect.getByText(/^This change adds .*€[\d,.]+ to what to order/)).toBeVisible();
  await expect(effect.getByText("As if it were in force today")).toBeVisible();
  expect(await stored(), "nothing was saved").toEqual(before);
  expect(faults.filter((fault) => !fault.includes("422"))).toEqual([]);
});
