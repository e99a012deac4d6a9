import { type BrowserContext, expect, type Page, test } from "@playwright/test";
import { expectAccessible, hold } from "../support";
import { draftOrder, quantityButton, quantityField } from "./lines";
import { enter, password, people, type Who } from "./people";

const question = (page: Page) => page.getByRole("alertdialog");

/**
 * Ends the session on the server while the page stays open. What the page reads by itself gets no answer
 * until the returned function is called: the person's next step has to find out.
 */
async function endSession(page: Page, context: BrowserContext) {
  const { release } = await hold(page, /\/api\/app\//);
  expect((await context.request.delete("/api/app/session")).status()).toBe(204);
  return release;
}

async function signInAgain(page: Page, who: Who, release: () => void) {
  await page.waitForURL(/\/sign-in\?next=/);
  release();
  await page.getByLabel("Email").fill(people[who]);
  await page.getByRole("textbox", { name: "Password" }).fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(/\/w\//);
}

test("a session that ends keeps what was typed, for the same person only", async ({ page, context }) => {
  const workspace = await enter(context, "buyer");
  const { url } = await draftOrder(context, workspace);
  await page.goto(url);
  await quantityButton(page).click();
  await quantityField(page).fill("12");
  const release = await endSession(page, context);
  await quantityField(page).press("Enter");
  await signInAgain(page, "buyer", release);
  await expect(quantityField(page)).toHaveValue("12");
  await expect(page.getByText("Not saved yet")).toBeVisible();
  await expectAccessible(page);
  await page.screenshot({ path: "e2e/screenshots/restored-line.png" });

  // Another person who signs in here sees nothing of the draft.
  const releaseAgain = await endSession(page, context);
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await signInAgain(page, "admin", releaseAgain);
  await expect(quantityButton(page)).toBeVisible();
  await expect(quantityField(page)).toHaveCount(0);
});

test("a session that ends keeps a new order", async ({ page, context }) => {
  const workspace = await enter(context, "buyer");
  await page.goto(`/w/${workspace}/purchase-orders/new`);
  await page.getByRole("button", { name: "Enter lines by hand" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Article of line 1").fill("NOT-KNOWN");
  await dialog.getByLabel("Quantity of line 1").fill("3");
  const release = await endSession(page, context);
  await dialog.getByRole("button", { name: "Draft 1 line" }).click();
  await signInAgain(page, "buyer", release);
  await expect(dialog.getByLabel("Article of line 1")).toHaveValue("NOT-KNOWN");
  await expect(dialog.getByLabel("Quantity of line 1")).toHaveValue("3");
  await expect(dialog.getByText("Not saved yet")).toBeVisible();
});

test("Escape, an outside press and a picker lose nothing of a new order", async ({ page, context }) => {
  const workspace = await enter(context, "buyer");
  await page.goto(`/w/${workspace}/purchase-orders/new`);
  const open = page.getByRole("button", { name: "Enter lines by hand" });
  const dialog = page.getByRole("dialog", { name: "New order" });
  await open.click();
  await expect(dialog).toBeVisible();
  // Nothing is typed yet: the dialog closes at once.
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);

  await open.click();
  const article = dialog.getByLabel("Article of line 1");
  await article.fill("TEA");
  await expect(page.getByRole("option").first()).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("option")).toHaveCount(0);
  await page.keyboard.press("Escape");
  await expect(question(page)).toContainText("You have unsaved changes");
  await expect(question(page).getByRole("button", { name: "Stay" })).toBeFocused();
  await expectAccessible(page, { overlay: true });
  await page.screenshot({ path: "e2e/screenshots/unsaved-question.png" });
  await page.keyboard.press("Escape");
  await expect(question(page)).toHaveCount(0);
  await expect(article).toHaveValue("TEA");
  await expect(article).toBeFocused();

  await page.mouse.click(5, 5);
  await question(page).getByRole("button", { name: "Leave without saving" }).click();
  await expect(dialog).toHaveCount(0);
  await open.click();
  await expect(article).toHaveValue("");
});

test("a page with unsaved work asks before it is left", async ({ page, context }) => {
  const workspace = await enter(context, "empty");
  await page.goto(`/w/${workspace}/purchasing`);
  const over = page.getByLabel("More may arrive than was ordered");
  await expect(over).toHaveValue(/^\d+$/);
  const stored = await over.inputValue();
  expect(stored).not.toBe("33");
  await over.fill("33");
  await page.keyboard.press("Escape");
  await expect(over).toHaveValue("33");
  const away = page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Members" });
  await away.click();
  await question(page).getByRole("button", { name: "Stay" }).click();
  await expect(over).toHaveValue("33");
  await expect(page).toHaveURL(/\/purchasing$/);

  // The browser itself asks when the tab is closed or reloaded.
  const asked = page.waitForEvent("dialog");
  const reloading = page.evaluate(() => location.reload());
  const native = await asked;
  expect(native.type()).toBe("beforeunload");
  await native.dismiss();
  await reloading;
  await expect(over).toHaveValue("33");

  await away.click();
  await question(page).getByRole("button", { name: "Leave without saving" }).click();
  await expect(page.getByRole("heading", { name: "Members", level: 1 })).toBeVisible();
  await page.goBack();
  await expect(over).toHaveValue(stored);
});

test("a page that is left and come back to before the next one is there can be typed in", async ({
  page,
  context,
}) => {
  const workspace = await enter(context, "empty");
  await page.route(/assets\/members-.*\.js/, () => {}); // the next page never loads
  await page.goto(`/w/${workspace}/purchasing`);
  const over = page.getByLabel("More may arrive than was ordered");
  await over.fill("33");
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Members" }).click();
  await question(page).getByRole("button", { name: "Leave without saving" }).click();
  await expect(page).toHaveURL(/\/members$/);
  await page.goBack();
  await expect(page).toHaveURL(/\/purchasing$/);
  await expect(over).not.toHaveValue("33");
  await over.fill("34");
  await expect(over).toHaveValue("34");
});
