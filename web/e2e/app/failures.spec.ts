import { readFileSync } from "node:fs";
import { type APIRequestContext, type BrowserContext, expect, type Page, test } from "@playwright/test";
import { expectAccessible, expectNoSidewaysScroll, open, says, views, watch } from "../support";
import { enter, send, type Who } from "./people";
import { countPresses } from "./presses";

/** A workspace of its own with a key that opens every table, so that no test sees an earlier one's failures. */
async function newWorkspace(context: BrowserContext, name: string): Promise<{ id: string; key: string }> {
  await enter(context, "admin");
  const person = await (await context.request.get("/api/app/session")).json();
  const made = await context.request.post(`/api/app/tenants/${person.tenants[0].id}/workspaces`, {
    data: { name: `Refused: ${name}` },
  });
  expect(made.status()).toBe(201);
  const { id } = await made.json();
  return { id, key: await newKey(context, id) };
}

async function newKey(context: BrowserContext, workspace: string): Promise<string> {
  const made = await context.request.post(`/api/app/workspaces/${workspace}/keys`, {
    data: { label: "Till", scope: "*" },
  });
  return (await made.json()).secret;
}

/** Sends records that are refused and become failed imports; a few are sent one after the other. */
async function refused(request: APIRequestContext, key: string, slug: string, records: object[]) {
  const atOnce = records.length < 20 ? 1 : 20;
  for (let at = 0; at < records.length; at += atOnce) {
    const answers = records.slice(at, at + atOnce).map((record) => send(request, slug, key, record));
    for (const answer of await Promise.all(answers)) expect(answer.status()).toBe(422);
  }
}

/** Signs in as another person in the same workspace. */
async function sitDown(page: Page, who: Who, workspace: string, path: string) {
  await enter(page.context(), who);
  await page.goto(`/w/${workspace}/failures${path}`);
}

// A record's key belongs to one workspace of a company, so each test has keys of its own.
const supplier = (id: string) => ({ external_id: id, name: `Supplier ${id}`, lead_time_days: "soon" });
const late = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => supplier(`${prefix}-${index + 1}`));
const panel = (page: Page) => page.getByRole("region", { name: "Failed import", exact: true });
const row = (page: Page, key: string) => page.getByRole("link", { name: key, exact: true });

test("from the group to the field that is wrong, edited, tried and stored", async ({
  page,
  context,
  request,
}) => {
  const faults = watch(page);
  const { id, key } = await newWorkspace(context, "edit");
  await refused(request, key, "suppliers", late("E", 3));
  await sitDown(page, "buyer", id, "");
  await expect(page.getByRole("link", { name: "Failed imports 3 open" })).toBeVisible();
  await page.getByRole("link", { name: "Wrong type lead_time_days" }).click();
  await expect(page).toHaveURL(/failures\/rows\?table=suppliers&code=type&field=lead_time_days/);
  await row(page, "E-2").click();
  await expect(panel(page).locator("mark")).toContainText('"lead_time_days": "soon"');
  await expect(panel(page).getByRole("listitem").first()).toContainText(
    /Expected\s*a number from 0 to 3,650\s*Received\s*"soon"/,
  );

  await page.keyboard.press("e");
  const editor = panel(page).getByLabel("The payload as JSON");
  await expect(editor).toBeFocused();
  await page.keyboard.type("7 7");
  await expect(panel(page).getByText(/Line 4, column 23: A comma or } is missing/)).toBeVisible();
  await expect(panel(page).getByRole("button", { name: "Save and retry" })).toBeDisabled();
  await page.keyboard.press("Backspace");
  await page.keyboard.press("Backspace");
  await page.keyboard.type(',\n"emai');
  await expect(page.getByRole("option", { name: /email/ })).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press("Enter");
  await page.keyboard.type('"s2@example.com"');
  await expect(editor).toHaveValue(/"lead_time_days": 7,\n {2}"email": "s2@example.com"/);
  await panel(page).getByRole("button", { name: "Check" }).click();
  await expect(panel(page).getByText("It would be stored as a new row.")).toBeVisible();
  await says(page, "E-2 is stored", () => editor.press("ControlOrMeta+Enter"));
  await expect(panel(page).getByText("Resolved", { exact: true })).toBeVisible();

  await panel(page).getByText("What was edited").click();
  await expect(panel(page).locator("del")).toContainText('"lead_time_days": "soon"');
  await expect(panel(page).locator("ins").first()).toContainText('"lead_time_days": 7');
  await expect(panel(page).getByText(/^you, .*edited$/)).toBeVisible();
  await expect(page.getByRole("tab", { name: "Resolved" })).toContainText("1");
  // The row has left the list; the next row has taken its place.
  await expect(row(page, "E-2")).toHaveCount(0);
  await page.keyboard.press("j");
  await expect(panel(page).getByRole("heading", { name: "E-1" })).toBeVisible();
  expect(faults).toEqual([]);
});

for (const { name, width, height, theme } of views)
  test.describe(name, () => {
    test.use({ viewport: { width, height }, hasTouch: name === "phone" });
    test("one failure, read and edited", async ({ page, context }) => {
      const faults = watch(page);
      const workspace = await enter(context, "buyer");
      const list = await context.request.get(
        `/api/app/workspaces/${workspace}/failures?table=order_line_items`,
      );
      const [failure] = (await list.json()).items;
      await open(page, `/w/${workspace}/failures/rows?table=order_line_items&open=${failure.id}`, theme);
      await page.getByText("missing: quantity").waitFor();
      const shot = (what: string) =>
        page.screenshot({ path: `e2e/screenshots/failure-${what}-${theme}-${name}.png`, fullPage: true });
      await shot("read");
      await expectAccessible(page);
      await page.getByRole("button", { name: "Edit and retry" }).click();
      await page.getByLabel("The payload as JSON").waitFor();
      await shot("edit");
      await expectAccessible(page);
      await expectNoSidewaysScroll(page);
      expect(faults).toEqual([]);
    });
  });

test("rows are walked, opened, selected and retried by keyboard alone", async ({
  page,
  context,
  request,
}) => {
  const { id, key } = await newWorkspace(context, "keys");
  await refused(request, key, "products", [
    { external_id: "P-1", name: "Tea", supplier_id: "S-9" },
    { external_id: "P-2", name: "Tin", supplier_id: "S-9" },
    { external_id: "P-3", name: "Cup", supplier_id: "S-9" },
  ]);
  await sitDown(page, "buyer", id, "");
  await page.getByRole("link", { name: "Unknown reference supplier_id" }).waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await row(page, "P-3").waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await expect(row(page, "P-2")).toBeFocused();
  await page.keyboard.press("ArrowUp");
  await expect(row(page, "P-3")).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(panel(page).getByRole("heading", { name: "P-3" })).toBeVisible();
  await page.keyboard.press("j");
  await expect(panel(page).getByRole("heading", { name: "P-2" })).toBeVisible();
  await page.keyboard.press("r");
  await expect(panel(page).getByText("Refused again; it stays open.")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(panel(page)).toHaveCount(0);
  await expect(row(page, "P-2")).toBeFocused();

  // The missing record arrives; now both can be stored as they came.
  expect((await send(request, "suppliers", key, { external_id: "S-9", name: "Nine" })).status()).toBe(200);
  await page.keyboard.press("x");
  await page.keyboard.press("k");
  await page.keyboard.press("x");
  await expect(page.getByText("2 selected")).toBeVisible();
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog")).toContainText("Retry unchanged");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await says(page, "2 stored", () => page.keyboard.press("r"));
  await expect(row(page, "P-1")).toBeVisible();
  await expect(row(page, "P-2")).toHaveCount(0);
  await page.keyboard.press("g");
  await page.keyboard.press("f");
  await expect(page).toHaveURL(/\/failures$/);
});

test("a dismissal has a reason and can be taken back", async ({ page, context, request }) => {
  const { id, key } = await newWorkspace(context, "dismiss");
  await refused(request, key, "suppliers", late("D", 2));
  await sitDown(page, "buyer", id, "/rows");
  await row(page, "D-1").click();
  await panel(page).getByRole("button", { name: "Dismiss…" }).click();
  const dialog = page.getByRole("dialog", { name: "Dismiss D-1" });
  await dialog.getByRole("button", { name: "Dismiss", exact: true }).click();
  await expect(dialog.getByText("Give a reason, for people who look at it later.")).toBeVisible();
  await expectAccessible(page, { overlay: true });
  await dialog.getByLabel("Why can it be ignored?").fill("The till was tested");
  await says(page, "Dismissed D-1", () =>
    dialog.getByRole("button", { name: "Dismiss", exact: true }).click(),
  );
  await expect(panel(page).getByText("The till was tested")).toBeVisible();
  await page.getByRole("tab", { name: "Ignored" }).click();
  await expect(page.getByRole("row").filter({ hasText: "D-1" })).toContainText("The till was tested");
  await row(page, "D-1").click();
  await panel(page).getByRole("button", { name: "Reopen" }).click();
  await expect(page.getByText("It is open again")).toBeVisible();

  await page.getByRole("tab", { name: "Open" }).click();
  await expect(row(page, "D-1")).toBeVisible(); // the list that was read before does not have it
  await page.getByRole("checkbox", { name: "Select all rows shown" }).click();
  await page.getByRole("region", { name: "Selected rows" }).getByRole("button", { name: "Dismiss…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "A test" }).click();
  await says(page, "Dismissed 2 imports", () =>
    page.getByRole("dialog").getByRole("button", { name: "Dismiss", exact: true }).click(),
  );
  await expect(page.getByText("No open failed imports")).toBeVisible();
  await page
    .getByRole("dialog")
    .filter({ hasText: "Dismissed 2 imports" })
    .getByRole("button", { name: "Undo" })
    .click();
  await expect(row(page, "D-2")).toBeVisible();
});

test("a record that was changed since is overwritten only when asked", async ({ page, context, request }) => {
  const { id, key } = await newWorkspace(context, "newer");
  const store = (name: string) => send(request, "suppliers", key, { external_id: "N-1", name });
  await store("First");
  await refused(request, key, "suppliers", [{ external_id: "N-1", name: "Late", lead_time_days: "soon" }]);
  await store("Newer");
  await sitDown(page, "buyer", id, "/rows");
  await row(page, "N-1").click();
  await page.getByRole("button", { name: "Edit and retry" }).click();
  await panel(page).getByLabel("The payload as JSON").fill('{"external_id": "N-1", "name": "Late"}');
  await panel(page).getByRole("button", { name: "Save and retry" }).click();
  await expect(panel(page).getByText("The record was changed after this import failed.")).toBeVisible();
  await expectAccessible(page);
  await says(page, "N-1 is stored", () =>
    panel(page).getByRole("button", { name: "Overwrite anyway" }).click(),
  );
  await expect(page.getByText("It changed the row with this key.")).toBeVisible();
});

test("a viewer reads everything and is offered nothing", async ({ page, context, request }) => {
  const { id, key } = await newWorkspace(context, "viewer");
  await refused(request, key, "suppliers", late("V", 2));
  await sitDown(page, "viewer", id, "");
  await page.getByRole("link", { name: "Wrong type lead_time_days" }).waitFor();
  await expect(page.getByRole("link", { name: /Fix/ })).toHaveCount(0);
  await page.goto(`/w/${id}/failures/rows`);
  await row(page, "V-1").click();
  await expect(panel(page).locator("mark")).toBeVisible();
  await page.keyboard.press("e");
  await page.keyboard.press("r");
  await page.keyboard.press("x");
  await expect(page.getByRole("checkbox")).toHaveCount(0);
  await expect(panel(page).getByRole("button", { name: /Retry|Edit|Dismiss/ })).toHaveCount(0);
  await expect(panel(page).getByLabel("The payload as JSON")).toHaveCount(0);
  await page.goto(`/w/${id}/failures/retry?table=suppliers`);
  await expect(page.getByText("Buyers and Company-Admins retry failed imports.")).toBeVisible();
});

test("the filter is in the address, and what is downloaded obeys it", async ({ page, context, request }) => {
  const { id, key } = await newWorkspace(context, "filter");
  await refused(request, key, "suppliers", [...late("F", 12), { external_id: "F-other" }]);
  await sitDown(page, "admin", id, "/rows");
  await page.getByRole("combobox", { name: "Reason" }).click();
  await page.getByRole("option", { name: "Wrong type" }).click();
  await page.getByRole("combobox", { name: "Last seen" }).click();
  await page.getByRole("option", { name: "Last 24 hours" }).click();
  await page.getByRole("searchbox").fill("F-1");
  await expect(page).toHaveURL(/code=type&since=24h&text=F-1/);
  const keys = page.locator("[data-row]");
  await expect(keys).toHaveCount(4);
  await page.reload();
  await expect(keys).toHaveCount(4);
  await expect(page.getByRole("searchbox")).toHaveValue("F-1");
  await expect(page.getByRole("combobox", { name: "Reason" })).toHaveText("Wrong type");

  const [whole] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Download 4" }).click(),
  ]);
  const lines = readFileSync(await whole.path(), "utf8")
    .trim()
    .split("\n");
  const sent = ["F-1", "F-10", "F-11", "F-12"].map((id) => JSON.stringify(supplier(id)));
  expect(lines.sort()).toEqual(sent.sort());

  await page.getByRole("checkbox", { name: "Select F-10" }).click();
  const [part] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("region", { name: "Selected rows" }).getByRole("button", { name: "Download" }).click(),
  ]);
  expect(readFileSync(await part.path(), "utf8")).toBe(`${JSON.stringify(supplier("F-10"))}\n`);

  await page.getByRole("button", { name: "Clear", exact: true }).click();
  await expect(keys).toHaveCount(13);
  await page.getByRole("combobox", { name: "Last seen" }).click();
  await page.getByRole("option", { name: "Between days…" }).click();
  await page.getByLabel("Last day").fill("2026-01-31");
  await expect(page).toHaveURL(/until=2026-01-31/);
  await expect(page.getByText("No open failed import matches the filter.")).toBeVisible();
});

/** Order lines as an old till names them. */
const tillLines = (count: number, order: string) =>
  Array.from({ length: count }, (_, index) => ({
    external_id: `till-${index}`,
    order_id: order,
    title: `Tea ${index}`,
    quantity: 1,
    unit_price: "9.50",
  }));

test("a group of sixty is fixed by a rename and stored in the background", async ({
  page,
  context,
  request,
}) => {
  const faults = watch(page);
  const { id, key } = await newWorkspace(context, "group");
  const order = {
    external_id: "G-1",
    ordered_at: "2026-03-14T09:30:00Z",
    status: "open",
    currency: "EUR",
    total: 1,
  };
  expect((await send(request, "orders", key, order)).status()).toBe(200);
  const lines = tillLines(60, "G-1");
  await refused(request, key, "order_line_items", lines);
  await sitDown(page, "buyer", id, "");
  await page.getByRole("link", { name: /Fix the group/ }).click();
  await expect(page.getByText("0 of 20 payloads would be stored")).toBeVisible();
  await page.getByRole("button", { name: "Rename title to name" }).click();
  await expect(page.getByText("20 of 20 changed payloads would be stored")).toBeVisible();
  await expect(page.locator("del").first()).toContainText('"title": "Tea');
  await expect(page.locator("ins").first()).toContainText('"name": "Tea');
  await expectAccessible(page);
  await page.reload();
  await expect(page.getByText("20 of 20 changed payloads would be stored")).toBeVisible();
  await page.getByRole("button", { name: "Retry 60 imports" }).click();

  const job = page.getByRole("article", { name: "Bulk retry of 60 imports" });
  await expect(job).toContainText("Rename title to name");
  await page.reload();
  await expect(job).toContainText("Done");
  await expect(job).toContainText("60 stored");
  await expectAccessible(page);
  await page.goto(`/w/${id}/failures`);
  await expect(page.getByText("No open failed imports")).toBeVisible();

  // The records are stored: sending one again changes nothing.
  for (const { title, ...line } of lines) {
    const trial = await context.request.post(`/api/app/workspaces/${id}/sources/order_line_items/test`, {
      data: { record: JSON.stringify({ ...line, name: title }) },
    });
    expect((await trial.json()).result).toBe("unchanged");
  }
  expect(faults).toEqual([]);
});

test("values are mapped by keyboard alone, and what is refused again stays open", async ({
  page,
  context,
  request,
}) => {
  const { id, key } = await newWorkspace(context, "map");
  const order = (number: number, status: string) => ({
    external_id: `O-${number}`,
    ordered_at: "2026-03-14T09:30:00Z",
    status,
    currency: "EUR",
    total: 1,
  });
  await refused(request, key, "orders", [order(1, "shipped"), order(2, "Completed"), order(3, "paid")]);
  await sitDown(page, "buyer", id, "/retry?table=orders&code=choice&field=status");
  const presses = countPresses(page);
  // Nothing is chosen beforehand; a suggestion is only another spelling of the same word.
  const becomes = (value: string) => page.getByRole("combobox", { name: `What "${value}" becomes` });
  await expect(becomes("shipped")).toHaveText("stays, and is refused");
  await presses.on(page.getByRole("button", { name: "Use all suggestions" }), "Enter");
  await expect(becomes("Completed")).toHaveText("completed");
  await expect(becomes("shipped")).toHaveText("stays, and is refused");
  await presses.on(becomes("shipped"), "Enter");
  await presses.on(page.getByRole("option", { name: "completed" }), "Enter");
  await expect(page.getByText("2 of 3 changed payloads would be stored")).toBeVisible();
  await expectAccessible(page);
  await presses.on(page.getByRole("button", { name: "Retry 3 imports" }), "Enter");
  presses.expectAtMost(4);
  const job = page.getByRole("article");
  await expect(job).toContainText("2 stored");
  await expect(job).toContainText("1 refused again");
  await job.getByRole("link", { name: "See what is still open" }).click();
  await expect(page.locator("[data-row] a")).toHaveText(["O-3"]);
});

test("texts are read as numbers in the form that a person names", async ({ page, context, request }) => {
  const { id, key } = await newWorkspace(context, "read");
  const order = (number: number, total: string) => ({
    external_id: `R-${number}`,
    ordered_at: "2026-03-14T09:30:00Z",
    status: "open",
    currency: "EUR",
    total,
  });
  await refused(request, key, "orders", [order(1, "1.240,50"), order(2, "99,90"), order(3, "1.000.000")]);
  await sitDown(page, "buyer", id, "/retry?table=orders&code=type&field=total");
  await page.getByRole("combobox", { name: "How total is written" }).click();
  await page.getByRole("option", { name: "Read as numbers written 1.234,56" }).click();
  await expect(page.getByRole("row", { name: /1\.240,50/ })).toContainText("1240.50");
  await expect(page.getByText("3 of 3 changed payloads would be stored")).toBeVisible();
  await page.getByRole("button", { name: "Retry 3 imports" }).click();
  await expect(page.getByRole("article")).toContainText("3 stored");
});

test("a bulk retry can be cancelled; what it had not reached stays open", async ({
  page,
  context,
  request,
}) => {
  const { id, key } = await newWorkspace(context, "cancel");
  const keys = [key, await newKey(context, id), await newKey(context, id)];
  // So many that the bulk retry is still running when the button is pressed.
  const records = Array.from({ length: 1140 }, (_, index) => ({ external_id: `C-${index}`, Name: "x" }));
  for (const [index, one] of keys.entries())
    await refused(request, one, "suppliers", records.slice(index * 380, (index + 1) * 380));
  await sitDown(page, "buyer", id, "/retry?table=suppliers");
  await page.getByRole("button", { name: "Rename Name to name" }).click();
  await expect(page.getByText("20 of 20 changed payloads would be stored")).toBeVisible();
  await page.getByRole("button", { name: "Retry 1,140 imports" }).click();
  const job = page.getByRole("article", { name: "Bulk retry of 1,140 imports" });
  await job.getByRole("button", { name: "Cancel" }).click();
  await expect(job.getByText("Cancelled", { exact: true })).toBeVisible();
  await expect(job).toContainText("not tried");
  await page.goto(`/w/${id}/failures`);
  await expect(page.getByRole("link", { name: /Missing value name/ })).toBeVisible();
});

test("an open failure of a table leads to its failed imports", async ({ page, context, request }) => {
  const { id, key } = await newWorkspace(context, "link");
  await refused(request, key, "suppliers", late("L", 2));
  await enter(context, "buyer");
  await page.goto(`/w/${id}/sources`);
  await page.getByRole("link", { name: "2 open failures of Suppliers" }).click();
  await expect(page).toHaveURL(/failures\?table=suppliers/);
  await expect(page.getByRole("link", { name: "Wrong type lead_time_days" })).toBeVisible();
});
