import { type Browser, type BrowserContext, expect, type Locator, type Page, test } from "@playwright/test";
import { drawn, expectAccessible, expectNoSidewaysScroll, hold, says, switchTheme, views } from "../support";
import { draftOrder, quantityButton, quantityField, unique } from "./lines";
import { enter, send, type Who } from "./people";

/** Another person in their own browser. */
async function another(browser: Browser, who: Who): Promise<Page> {
  const context = await browser.newContext();
  await enter(context, who);
  return context.newPage();
}

const conflict = (page: Page) => page.getByRole("alert").filter({ hasText: "Yours is not saved yet" });

/** Collects the write requests that a page sends. */
function changes(page: Page): string[] {
  const sent: string[] = [];
  page.on("request", (request) => {
    if (request.method() === "PATCH" || request.method() === "PUT") sent.push(request.postData() ?? "");
  });
  return sent;
}

for (const { name, width, height, theme, other } of views) {
  test(`two people change one line: nobody's quantity is lost, ${name}`, async ({
    page,
    context,
    browser,
  }) => {
    const workspace = await enter(context, "buyer");
    const { url, line } = await draftOrder(context, workspace);
    await page.setViewportSize({ width, height });
    await page.addInitScript((value) => localStorage.setItem("quayside.theme", value), theme);
    await page.clock.install();
    await page.goto(url);
    if (name === "phone") await page.getByRole("button", { name: /Details of/ }).click();
    await quantityButton(page).last().click();
    await quantityField(page).fill("12");

    const ada = await another(browser, "admin");
    await ada.goto(url);
    await quantityButton(ada).click();
    await quantityField(ada).fill("500");
    await ada.keyboard.press("Enter");
    await expect(quantityButton(ada)).toHaveText(/^500/);

    // A poll loads the other person's version; the edit still sends the version that it began with.
    await page.clock.fastForward(21_000);
    await expect(quantityField(page)).toHaveValue("12");
    await page.clock.resume();
    await quantityField(page).press("Enter");
    await expect(conflict(page)).toContainText("Ada Brandt changed this");
    await expect(conflict(page)).toContainText(/was 10.*Theirs\s*500.*Yours\s*12/s);
    await expect(quantityField(page)).toHaveValue("12");
    expect((await (await context.request.get(line)).json()).quantity_ordered).toBe("500");
    await expectAccessible(page, { overlay: true });
    await expectNoSidewaysScroll(page);
    await page.screenshot({ path: `e2e/screenshots/conflict-line-${theme}-${name}.png` });
    await switchTheme(page, other);
    await page.screenshot({ path: `e2e/screenshots/conflict-line-${other}-${name}.png` });

    await conflict(page).getByRole("button", { name: "Keep mine" }).click();
    await expect(quantityButton(page).last()).toHaveText(/^12/);
    await expect(quantityButton(page).last()).toBeFocused();
    expect((await (await context.request.get(line)).json()).quantity_ordered).toBe("12");
    await ada.context().close();
  });
}

test("theirs is taken with one press", async ({ page, context }) => {
  const workspace = await enter(context, "buyer");
  const { url, line } = await draftOrder(context, workspace);
  await page.goto(url);
  await quantityButton(page).click();
  const changed = await context.request.patch(line, {
    headers: { "If-Match": '"1"' },
    data: { quantity_ordered: "500" },
  });
  expect(changed.status()).toBe(200);
  await quantityField(page).fill("12");
  await quantityField(page).press("Enter");
  await conflict(page).getByRole("button", { name: "Take theirs" }).click();
  await expect(quantityButton(page)).toHaveText(/^500/);
  await expect(quantityButton(page)).toBeFocused();
});

/** Enter and the blur that follows it, before the page can render. */
async function enterAndBlur(field: Locator) {
  await field.evaluate((element: HTMLElement) => {
    element.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }));
    element.blur();
  });
}

/** The events of a page when another window comes to the front. */
async function switchWindow(page: Page, field: Locator) {
  await field.evaluate((element) => {
    document.hasFocus = () => false;
    element.dispatchEvent(new FocusEvent("focusout", { bubbles: true, relatedTarget: null }));
  });
  await drawn(page);
}

test("Enter and the blur after it send a line's change once, a window switch sends none", async ({
  page,
  context,
}) => {
  const workspace = await enter(context, "buyer");
  const { url } = await draftOrder(context, workspace);
  const sent = changes(page);
  await page.goto(url);
  await quantityButton(page).click();
  await quantityField(page).fill("12");
  await switchWindow(page, quantityField(page));
  await expect(quantityField(page)).toHaveValue("12");
  expect(sent).toEqual([]);
  await enterAndBlur(quantityField(page));
  await expect(quantityButton(page)).toHaveText(/^12/);
  expect(sent).toHaveLength(1);
});

/** Creates a supplier for this test alone and opens the table at its row. */
async function supplierCell(page: Page, context: BrowserContext) {
  const workspace = await enter(context, "admin");
  const keys = `/api/app/workspaces/${workspace}/keys`;
  const name = unique("supplier");
  const made = await context.request.post(keys, { data: { label: name, scope: "suppliers" } });
  const key = (await made.json()).secret as string;
  const record = { external_id: name.replaceAll(" ", "-"), name, lead_time_days: 5 };
  expect((await send(context.request, "suppliers", key, record)).status()).toBe(200);
  const filters = JSON.stringify({ name });
  const search = new URLSearchParams({
    filters,
    columns: "name,lead_time_days,email",
  });
  const url = `/w/${workspace}/tables/suppliers?${search}`;
  await page.goto(url);
  const rows = `/api/app/workspaces/${workspace}/tables/suppliers/rows`;
  const stored = async () =>
    (await (await context.request.get(rows, { params: { filters } })).json()).items[0].values;
  return { url, stored, workspace };
}

const cell = (page: Page, column: number) => page.getByRole("row").nth(1).getByRole("gridcell").nth(column);

async function editCell(page: Page, column: number, value: string) {
  await cell(page, column).click();
  await page.keyboard.press("Enter");
  await cell(page, column).locator("input,textarea").fill(value);
}

test("two people change one cell: nobody's value is lost", async ({ page, context, browser }) => {
  const { url, stored } = await supplierCell(page, context);
  await editCell(page, 1, "12");
  const cleo = await another(browser, "buyer");
  await cleo.goto(url);
  await editCell(cleo, 1, "50");
  await cleo.keyboard.press("Enter");
  await expect(cell(cleo, 1)).toHaveText("50");
  await page.keyboard.press("Enter");
  await expect(conflict(page)).toContainText("Cleo Martin changed this");
  await expect(conflict(page)).toContainText(/was 5.*Theirs\s*50.*Yours\s*12/s);
  await expectAccessible(page);
  await page.screenshot({ path: "e2e/screenshots/conflict-cell.png" });
  expect((await stored()).lead_time_days).toBe("50");
  await conflict(page).getByRole("button", { name: "Keep mine" }).click();
  await expect(cell(page, 1)).toHaveText("12");
  await expect(cell(page, 1)).toBeFocused();
  expect((await stored()).lead_time_days).toBe("12");
  await cleo.context().close();
});

test("Enter and the blur after it send a cell's change once, a window switch sends none", async ({
  page,
  context,
}) => {
  await supplierCell(page, context);
  const sent = changes(page);
  await editCell(page, 1, "12");
  const field = cell(page, 1).locator("input");
  await switchWindow(page, field);
  await expect(field).toHaveValue("12");
  expect(sent).toEqual([]);
  await enterAndBlur(field);
  await expect(cell(page, 1)).toHaveText("12");
  expect(sent).toHaveLength(1);
});

const holdChanges = (page: Page) => hold(page, /\/api\/app\//, "PATCH");

test("a late answer leaves the editor of another cell alone", async ({ page, context }) => {
  await supplierCell(page, context);
  const late = await holdChanges(page);
  await editCell(page, 1, "12");
  await page.keyboard.press("Enter");
  await late.asked;
  await editCell(page, 2, "half@");
  const answered = page.waitForResponse((response) => response.request().method() === "PATCH");
  late.release();
  await (await answered).finished();
  await expect(cell(page, 1)).toHaveText("12");
  await drawn(page);
  const field = cell(page, 2).locator("textarea");
  await expect(field).toHaveValue("half@");
  await expect(field).toBeFocused();
});

test("a late answer leaves the editor of another value of a line alone", async ({ page, context }) => {
  const workspace = await enter(context, "buyer");
  const { url } = await draftOrder(context, workspace);
  const sent = changes(page);
  await page.goto(url);
  const late = await holdChanges(page);
  await quantityButton(page).click();
  await quantityField(page).fill("12");
  await quantityField(page).press("Enter");
  await late.asked;
  await page.getByRole("button", { name: /edit price/ }).click();
  const price = page.getByRole("textbox", { name: /^Price of/ });
  await price.fill("3.");
  late.release();
  await expect(quantityButton(page)).toHaveText(/^12/);
  await drawn(page);
  await expect(price).toHaveValue("3.");
  await expect(price).toBeFocused();
  expect(sent).toHaveLength(1);
});

test("two people change the rules: both changes are kept", async ({ page, context, browser }) => {
  // In a company of its own: the rules hold for every other test in the demo's.
  const workspace = await enter(context, "empty");
  await page.goto(`/w/${workspace}/purchasing`);
  const over = page.getByLabel("More may arrive than was ordered");
  await over.fill("7");
  const eve = await another(browser, "empty");
  await eve.goto(`/w/${workspace}/purchasing`);
  await eve.getByLabel("Price and quantity may rise after approval").fill("9");
  await says(eve, "Purchasing rules saved", () => eve.getByRole("button", { name: "Save rules" }).click());
  // The rules are read again when the window comes to the front.
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  await drawn(page);
  await expect(over).toHaveValue("7");
  await page.getByRole("button", { name: "Save rules" }).click();
  await expect(conflict(page)).toContainText("You changed this");
  await expect(conflict(page)).toContainText(/Price and quantity may rise.*Theirs\s*9 %/s);
  await expectAccessible(page);
  await page.screenshot({ path: "e2e/screenshots/conflict-rules.png" });
  await says(page, "Purchasing rules saved", () =>
    conflict(page).getByRole("button", { name: "Keep mine" }).click(),
  );
  const rules = await context.request.get(`/api/app/workspaces/${workspace}/purchasing-rules`);
  expect(await rules.json()).toMatchObject({ over_receipt_percent: "7", reapproval_percent: "9" });
  await eve.context().close();
});

/** A workspace with one failed import, opened in its editor. */
async function failedImport(page: Page, context: BrowserContext) {
  await enter(context, "admin");
  const person = await (await context.request.get("/api/app/session")).json();
  const workspaces = `/api/app/tenants/${person.tenants[0].id}/workspaces`;
  const made = await context.request.post(workspaces, { data: { name: unique("payload") } });
  const { id } = await made.json();
  const keys = `/api/app/workspaces/${id}/keys`;
  const key = await context.request.post(keys, { data: { label: "Till", scope: "*" } });
  const external_id = unique("failed").replaceAll(" ", "-");
  const record = { external_id, name: "Late", lead_time_days: "soon" };
  expect((await send(context.request, "suppliers", (await key.json()).secret, record)).status()).toBe(422);
  const open = async (who: Page) => {
    await who.goto(`/w/${id}/failures/rows`);
    await who.getByRole("link", { name: external_id, exact: true }).click();
    await who.getByRole("button", { name: "Edit and retry" }).click();
    return who.getByLabel("The payload as JSON");
  };
  const payload = (days: unknown, name: string) =>
    JSON.stringify({ external_id, name, lead_time_days: days }, null, 2);
  return { open, payload, editor: await open(page), workspace: id as string };
}

test("two people mend one payload: the second learns of the first and keeps their text", async ({
  page,
  context,
  browser,
}) => {
  const { open, payload, editor } = await failedImport(page, context);
  await editor.fill(payload("7 days", "Mine"));
  const cleo = await another(browser, "buyer");
  const theirs = await open(cleo);
  await theirs.fill(payload("eight", "Theirs"));
  await cleo.getByRole("button", { name: "Save and retry" }).click();
  await expect(cleo.getByText("Refused again; it stays open.")).toBeVisible();

  await page.getByRole("button", { name: "Save and retry" }).click();
  await expect(conflict(page)).toContainText("Cleo Martin changed this");
  await expect(conflict(page)).toContainText('"name": "Theirs"');
  await expect(editor).toHaveValue(payload("7 days", "Mine"));
  await expectAccessible(page);
  await page.screenshot({ path: "e2e/screenshots/conflict-payload.png" });
  await conflict(page).getByRole("button", { name: "Keep mine" }).click();
  await expect(page.getByText("Refused again; it stays open.")).toBeVisible();
  await expect(editor).toHaveValue(payload("7 days", "Mine"));

  // The other person stores the record; the text typed here stays.
  await theirs.fill(payload(8, "Theirs"));
  await cleo.getByRole("button", { name: "Save and retry" }).click();
  await conflict(cleo).getByRole("button", { name: "Keep mine" }).click();
  await expect(cleo.getByText(/is stored/).first()).toBeVisible();
  await editor.fill(payload(9, "Mine"));
  await page.getByRole("button", { name: "Save and retry" }).click();
  await expect(conflict(page)).toContainText("The record is stored");
  await expect(editor).toHaveValue(payload(9, "Mine"));
  await conflict(page).getByRole("button", { name: "Take theirs" }).click();
  await expect(editor).toHaveCount(0);
  await cleo.context().close();
});
