import { type BrowserContext, expect, type Page, test } from "@playwright/test";
import { watch } from "../support";
import { draftOrder, makeArticle } from "./lines";
import { enter, makeKey, send } from "./people";

const bar = (page: Page) => page.getByRole("navigation", { name: "Quick" });

/** Submits the line of an order. */
async function submit(context: BrowserContext, line: string) {
  const { id, version } = await (await context.request.get(line)).json();
  const path = line.replace(/[^/]+$/, "submit");
  const answer = await context.request.post(path, { data: { lines: [{ id, version }] } });
  expect(answer.status(), await answer.text()).toBe(200);
}

test("an approver reaches what waits for approval and approves it in four presses, by keyboard alone", async ({
  page,
  context,
}) => {
  const faults = watch(page);
  const workspace = await enter(context, "buyer");
  const { url, line } = await draftOrder(context, workspace);
  await submit(context, line);
  await enter(context, "approver");
  await page.goto(`/w/${workspace}`);
  await page.getByRole("link", { name: /^Waiting for your approval/ }).press("Enter");
  const order = decodeURIComponent(url.split("/").at(-1) ?? "");
  await page.getByRole("link", { name: order }).first().press("Enter");
  await expect(page.getByRole("heading", { level: 1 })).toContainText(order);
  // What speaks for it, and two more presses to decide.
  await expect(
    page.getByRole("list", { name: "Lines to decide" }).getByRole("listitem").first(),
  ).toContainText(/lasts|not known|no demand/);
  await page.keyboard.press("a");
  await expect(page.getByRole("dialog").getByRole("button", { name: "Approve 1 line" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByText("1 line approved and ordered")).toBeVisible();
  await expect(page.getByRole("list", { name: "Lines to decide" })).toHaveCount(0);

  // A buyer orders the same again, in a new order. It is on its way, and asked about.
  await enter(context, "buyer");
  await page.reload();
  await page.getByRole("button", { name: "Order again…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Draft 1 line" }).click();
  await dialog.getByRole("checkbox", { name: "Yes, order more of it" }).click();
  await dialog.getByRole("button", { name: "Draft 1 line" }).click();
  await expect(page.getByRole("heading", { level: 1 })).not.toContainText(order);
  await expect(page.getByRole("row").nth(1)).toContainText("Draft");
  expect(faults.filter((fault) => !fault.includes("409 (Conflict)"))).toEqual([]);
});

test("an order is sent back in two presses on a phone", async ({ page, context }) => {
  const workspace = await enter(context, "buyer");
  const { url, line } = await draftOrder(context, workspace);
  await submit(context, line);
  await enter(context, "approver");
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(url);
  await page.getByRole("button", { name: "Send back…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Too expensive" }).click();
  await expect(page.getByText("1 line sent back")).toBeVisible();
  const { status } = await (await context.request.get(line)).json();
  expect(status).toBe("draft");
});

test("a buyer sees drafts and the most urgent articles, and a viewer no drafts", async ({
  page,
  context,
}) => {
  const workspace = await enter(context, "buyer");
  await draftOrder(context, workspace);
  const path = `/api/app/workspaces/${workspace}/procurement/queue?group=order&limit=1`;
  const { items } = await (await context.request.get(path)).json();
  await page.goto(`/w/${workspace}`);
  await page.getByRole("link", { name: /^Your drafts/ }).click();
  await expect(page.getByRole("tab", { name: /^Your drafts/ })).toHaveAttribute("aria-selected", "true");
  await expect(page.getByRole("row").nth(1)).toBeVisible();
  await page.keyboard.press("g");
  await page.keyboard.press("t");
  await page.getByRole("link", { name: items[0].name }).click();
  await expect(page.getByRole("dialog")).toContainText(items[0].name);

  await enter(context, "viewer");
  await page.goto(`/w/${workspace}`);
  await expect(page.getByRole("heading", { name: "Deliveries" })).toBeVisible();
  await expect(page.getByRole("heading", { name: "Yours" })).toHaveCount(0);
});

test("the first steps are there until records flow, unless they are hidden", async ({
  page,
  context,
  request,
}) => {
  const first = await enter(context, "empty");
  const person = await (await context.request.get("/api/app/session")).json();
  const made = await context.request.post(`/api/app/tenants/${person.tenants[0].id}/workspaces`, {
    data: { name: `Dry dock ${Date.now()}` },
  });
  expect(made.status(), await made.text()).toBe(201);
  const workspace = (await made.json()).id;
  expect(workspace).not.toBe(first);

  const steps = page.getByRole("heading", { name: "Three steps to the first record" });
  await page.goto(`/w/${workspace}`);
  await expect(steps).toBeVisible();
  await expect(page.getByText("Nothing waits for you.")).toBeVisible();
  await page.getByRole("button", { name: "Hide the first steps" }).click();
  await expect(steps).toHaveCount(0);
  await page.reload();
  await expect(page.getByText("Nothing waits for you.")).toBeVisible();
  await expect(steps).toHaveCount(0);

  await page.evaluate(() => localStorage.clear());
  await page.reload();
  await page.getByRole("link", { name: "First steps" }).click();
  await expect(page.getByRole("heading", { name: "Welcome, Eve" })).toBeVisible();
  const key = await makeKey(context, workspace, "suppliers", "Today");
  const stored = await send(request, "suppliers", key, { external_id: workspace, name: "Harbour Teas" });
  expect(stored.headers()["ingest-result"]).toBe("created");
  const today = `/api/app/workspaces/${workspace}/today`;
  await expect.poll(async () => (await (await context.request.get(today)).json()).flows).toBe(true);
  await page.goto(`/w/${workspace}`);
  await expect(page.getByText("Nothing waits for you.")).toBeVisible();
  await expect(steps).toHaveCount(0);
});

test("a phone has the pages of the day in a bar, and all pages behind More", async ({ page, context }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const workspace = await enter(context, "buyer");
  await page.goto(`/w/${workspace}/tables/suppliers?sort=name`);
  await expect(bar(page).locator("a, button")).toHaveText([
    "Today",
    "To order",
    "Arrivals",
    "Search",
    "More",
  ]);
  for (const target of await bar(page).locator("a, button").all()) {
    const { width = 0, height = 0 } = (await target.boundingBox()) ?? {};
    expect(Math.min(width, height)).toBeGreaterThanOrEqual(44);
  }
  await bar(page).getByRole("button", { name: "More" }).click();
  const drawer = page.getByRole("dialog");
  await expect(drawer.locator("[aria-current=page]")).toHaveText("Suppliers");
  await drawer.getByRole("link", { name: "Tables" }).click();
  await expect(drawer).toHaveCount(0);
  await bar(page).getByRole("link", { name: "Today" }).click();
  const last = page.getByRole("heading", { name: "What agents did" });
  await last.scrollIntoViewIfNeeded();
  // The end of the page can be scrolled above the bar.
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
  const card = await page.locator("section").filter({ has: last }).boundingBox();
  const top = await bar(page).boundingBox();
  expect((card?.y ?? 0) + (card?.height ?? 0)).toBeLessThanOrEqual(top?.y ?? 0);
  await bar(page).getByRole("button", { name: "Search" }).click();
  await expect(page.getByRole("combobox", { name: "Search commands" })).toBeFocused();
});

/** A workspace in which nothing waits for anybody, with an article. */
async function ownWorkspace(context: BrowserContext): Promise<string> {
  await enter(context, "admin");
  const { tenants } = await (await context.request.get("/api/app/session")).json();
  const made = await context.request.post(`/api/app/tenants/${tenants[0].id}/workspaces`, {
    data: { name: `Inbox ${Date.now()}` },
  });
  expect(made.status(), await made.text()).toBe(201);
  const workspace = (await made.json()).id;
  const supplier = await context.request.post(`/api/app/workspaces/${workspace}/tables/suppliers/rows`, {
    data: { values: { external_id: workspace, name: "Inbox Teas" } },
  });
  expect(supplier.status(), await supplier.text()).toBe(201);
  await makeArticle(context, workspace);
  return workspace;
}

test("an approver is told of a mention and an order, and decides from the inbox in four presses", async ({
  page,
  context,
}) => {
  const faults = watch(page);
  const workspace = await ownWorkspace(context);
  await enter(context, "approver");
  const { id } = await (await context.request.get("/api/app/session")).json();
  await enter(context, "buyer");
  const talked = await draftOrder(context, workspace);
  const entry = await context.request.post(
    `/api/app/workspaces/${workspace}/purchase-orders/${talked.url.split("/").at(-1)}/entries`,
    { data: { kind: "comment", text: "Is this too many?", mentions: [id] } },
  );
  expect(entry.status(), await entry.text()).toBe(201);
  const { url, line } = await draftOrder(context, workspace);
  await submit(context, line);
  const order = decodeURIComponent(url.split("/").at(-1) ?? "");

  await enter(context, "approver");
  await page.goto(`/w/${workspace}`);
  const badge = page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: /^Inbox/ });
  await expect(badge).toHaveAccessibleName("Inbox 2 unseen");
  await badge.press("Enter");
  const rows = page.getByRole("list", { name: "Inbox" }).getByRole("listitem");
  await expect(rows.filter({ hasText: "Unseen:" })).toHaveCount(2);
  await expect(rows.filter({ hasText: "Is this too many?" })).toContainText(
    /^Unseen: Cleo .*mentioned you in/,
  );
  await page.getByRole("link", { name: `${order} waits for your approval` }).press("Enter");
  await expect(page.getByRole("list", { name: "Lines to decide" })).toBeVisible();
  await page.keyboard.press("a");
  await expect(page.getByRole("dialog").getByRole("button", { name: "Approve 1 line" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByText("1 line approved and ordered")).toBeVisible();
  await expect(badge).toHaveAccessibleName("Inbox 1 unseen");

  // The mention is done with one key, and the row below keeps the keys.
  await page.keyboard.press("g");
  await page.keyboard.press("n");
  await expect(rows.filter({ hasText: order })).toHaveCount(0);
  await page.keyboard.press("j");
  await expect(page.getByRole("link", { name: /mentioned you in/ }).first()).toBeFocused();
  await page.keyboard.press("e");
  await expect(rows.filter({ hasText: "Is this too many?" })).toHaveCount(0);
  await expect(badge).toHaveAccessibleName("Inbox");
  expect(faults).toEqual([]);
});
