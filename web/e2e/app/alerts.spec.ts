import { type BrowserContext, expect, type Page, test } from "@playwright/test";
import { expectAccessible, expectNoSidewaysScroll, open, says, views, watch } from "../support";
import { enter, send } from "./people";

const bell = (page: Page) => page.getByRole("button", { name: /^Alerts/ });
const panel = (page: Page) => page.getByRole("dialog", { name: "Alerts" });

/** A key for one table, made through the API. */
async function keyFor(context: BrowserContext, workspace: string, scope: string): Promise<string> {
  const made = await context.request.post(`/api/app/workspaces/${workspace}/keys`, {
    data: { label: "Alerts test", scope },
  });
  return (await made.json()).secret;
}

async function unread(context: BrowserContext, workspace: string): Promise<number> {
  const answer = await context.request.get(`/api/app/workspaces/${workspace}/alerts/unread`);
  return (await answer.json()).unread;
}

test("records begin to fail: the bell says so, the list says why, and what is read stays read", async ({
  page,
  context,
  browser,
  request,
}) => {
  const faults = watch(page);
  const workspace = await enter(context, "admin");
  const key = await keyFor(context, workspace, "meeting_notes");
  const before = await unread(context, workspace);
  for (const started of ["someday", "one day"]) {
    const refused = await send(request, "meeting_notes", key, {
      external_id: `note of ${started}`,
      title: "A note",
      started_at: started,
    });
    expect(refused.status()).toBe(422);
  }
  await expect.poll(() => unread(context, workspace)).toBeGreaterThan(before);

  await page.goto(`/w/${workspace}/sources`);
  await expect(bell(page)).toHaveAccessibleName(/^Alerts, \d+ unread$/);
  await bell(page).click();
  const row = panel(page).getByRole("listitem").filter({ hasText: "started_at" });
  await expect(row).toContainText("New failed imports in Meeting Notes");
  await expect(row).toContainText("started_at: not a time such as");
  await expect(row).toContainText("2 failed imports open");
  await expect(row).not.toContainText("someday");

  await row.getByRole("link").click();
  await expect(page).toHaveURL(
    new RegExp(`/w/${workspace}/failures\\?code=type&field=started_at&table=meeting_notes$`),
  );
  await expect(panel(page)).toBeHidden();

  await page.goto(`/w/${workspace}/sources`);
  await bell(page).click();
  await expect(row).toBeVisible();
  await expect(row.getByText("Unread:")).toHaveCount(0);
  await panel(page).getByRole("button", { name: "Mark all as read" }).click();
  await expect(panel(page).getByText("Unread:")).toHaveCount(0);
  await page.reload();
  await bell(page).click();
  await expect(row).toBeVisible();
  await expect(panel(page).getByText("Unread:")).toHaveCount(0);

  // For another member the alert is still unread.
  const elsewhere = await browser.newContext();
  await enter(elsewhere, "viewer");
  const other = await elsewhere.newPage();
  await other.goto(`/w/${workspace}/sources`);
  await bell(other).click();
  const unreadRow = panel(other).getByRole("listitem").filter({ hasText: "started_at" });
  await expect(unreadRow.getByText("Unread:")).toHaveCount(1);
  await unreadRow.getByRole("button", { name: /^Mark as read/ }).click();
  await expect(unreadRow.getByText("Unread:")).toHaveCount(0);
  await elsewhere.close();
  expect(faults).toEqual([]);
});

test("by keyboard: it opens, it closes, and the focus comes back", async ({ page, context }) => {
  const workspace = await enter(context, "buyer");
  await page.goto(`/w/${workspace}/sources`);
  await bell(page).focus();
  await page.keyboard.press("Enter");
  await expect(panel(page)).toBeVisible();
  const all = panel(page).getByRole("button", { name: "Mark all as read" });
  await expect(all).toBeVisible();
  await page.keyboard.press("Tab");
  await expect(all).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(panel(page)).toBeHidden();
  await expect(bell(page)).toBeFocused();
  // The button also closes the panel.
  await bell(page).click();
  await expect(panel(page)).toBeVisible();
  await bell(page).click();
  await expect(panel(page)).toBeHidden();
});

test("nobody is mailed who does not want it", async ({ page, context }) => {
  const workspace = await enter(context, "approver");
  await page.goto(`/w/${workspace}/you`);
  const wanted = page.getByRole("checkbox", { name: /^Alerts/ });
  await expect(wanted).toBeChecked();
  await says(page, "Your choice of mails is saved", () => wanted.click());
  await page.reload();
  await expect(wanted).not.toBeChecked();
  await wanted.click();
  await expect(wanted).toBeChecked();
});

test("a workspace in which nothing is wrong says so", async ({ page, context }) => {
  const workspace = await enter(context, "empty");
  await page.goto(`/w/${workspace}`);
  await bell(page).click();
  await expect(panel(page)).toContainText("No alerts.");
});

for (const { name, width, height, theme } of views) {
  test.describe(name, () => {
    test.use({ viewport: { width, height }, hasTouch: name === "phone" });
    test("the list of alerts", async ({ page, context }) => {
      const faults = watch(page);
      const workspace = await enter(context, "approver");
      await open(page, `/w/${workspace}/sources`, theme);
      await bell(page).click();
      await expect(panel(page).getByRole("listitem").first()).toBeVisible();
      await page.screenshot({
        path: `e2e/screenshots/alerts-${theme}-${name}.png`,
        animations: "disabled",
      });
      await expectAccessible(page, { overlay: true });
      await expectNoSidewaysScroll(page);
      expect(faults).toEqual([]);
    });
  });
}
