import { expect, test } from "@playwright/test";
import { expectAccessible, expectNoSidewaysScroll, still, views, watch } from "../support";
import { enter } from "./people";

// Only dry runs: a real one would draft what an earlier test has put into the queue.

/** If an earlier test has changed the rules, a run waits until the queue is computed. */
const computed = 120_000;

const runAddress = /\/agent-runs\/[0-9a-f-]{36}$/;

for (const { name, width, height } of views) {
  test.describe(name, () => {
    test.use({ viewport: { width, height }, hasTouch: name === "phone" });

    test("a dry run is started, and a decision of it is read", async ({ page, context }) => {
      const faults = watch(page);
      const workspace = await enter(context, "buyer");
      await page.goto(`/w/${workspace}/to-order`);
      await expect(page.getByText(/ ordered and .+ drafted/)).toBeVisible();
      await page.getByRole("main").getByRole("link", { name: "Agent", exact: true }).click();
      await expect(page.getByRole("heading", { name: "Agent runs" })).toBeVisible();

      // A real run says what it may do first.
      await page.getByRole("button", { name: "Run the agent…" }).click();
      const dialog = page.getByRole("alertdialog");
      await expect(dialog).toContainText(/It drafts at most [\d,]+ lines, and (submits|leaves) them/);
      await expect(dialog).toContainText("It never approves");
      await still(page);
      await expectAccessible(page, { overlay: true });
      await dialog.getByRole("button", { name: "Cancel" }).click();
      await expect(dialog).toHaveCount(0);

      if (name === "phone") await page.getByRole("button", { name: "Dry run" }).click();
      else await page.keyboard.press("d");
      await expect(page).toHaveURL(runAddress);
      await expect(page.getByRole("heading", { level: 1, name: "Dry run" })).toBeVisible();
      await expect(page.getByText("Done", { exact: true })).toBeVisible({ timeout: computed });
      await expect(page.getByText("You, ")).toBeVisible();
      const rows = page.locator("[data-row]");
      await expect(rows.filter({ hasText: /Orders \d+ from .+: its need is / }).first()).toBeVisible();
      await expect(page.getByRole("button", { name: "Undo…" })).toHaveCount(0);
      await expectNoSidewaysScroll(page);

      await page.getByRole("tab", { name: "Left out" }).click();
      await expect(page).toHaveURL(/tab=left_out/);
      await expect(rows.filter({ hasText: /Left (out|to people|for the next run): / }).first()).toBeVisible();
      await rows.first().getByRole("link").first().click();
      await expect(page).toHaveURL(/\/products\//);

      await page.goBack();
      await page.getByRole("main").getByRole("link", { name: "Agent runs" }).click();
      await expect(rows.first()).toContainText("Dry run");
      expect(faults).toEqual([]);
    });
  });
}

test("a viewer reads runs, and can start none", async ({ page, context }) => {
  const workspace = await enter(context, "viewer");
  await page.goto(`/w/${workspace}/agent-runs`);
  await expect(page.getByRole("heading", { name: "Agent runs" })).toBeVisible();
  await expect(page.locator("[data-row], [data-empty]").first()).toBeVisible();
  await expect(page.getByRole("button", { name: /Dry run|Run the agent/ })).toHaveCount(0);
});

test("a workspace without runs says what the agent is", async ({ page, context }) => {
  const workspace = await enter(context, "empty");
  await page.goto(`/w/${workspace}/agent-runs`);
  await expect(page.getByText("The agent has not run yet.")).toBeVisible();
  await page.getByRole("link", { name: "Open the playbook" }).click();
  await expect(page.getByLabel("Agent daily")).toBeVisible();
});

test("an address that names no run says so", async ({ page, context }) => {
  const workspace = await enter(context, "viewer");
  await page.goto(`/w/${workspace}/agent-runs/00000000-0000-7000-8000-000000000000`);
  await expect(page.getByText("There is no such run of the agent.")).toBeVisible();
});
