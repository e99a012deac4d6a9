import { expect, test } from "@playwright/test";
import { watch } from "../support";
import { unique } from "./lines";
import { enter } from "./people";
import { makeNeed } from "./queue";

/** A workspace's demand, and then its queue, are computed as a whole within a minute of its first sales. */
const firstQueue = 120_000;

test("two articles are ordered, from the reason to the arrival, by a buyer and by the agent", async ({
  page,
  context,
  request,
}) => {
  test.setTimeout(360_000);
  const faults = watch(page);
  // A workspace of its own: a real run drafts everything that is to be ordered.
  await enter(context, "admin");
  const tenant = (await (await context.request.get("/api/app/session")).json()).tenants[0].id;
  const made = await context.request.post(`/api/app/tenants/${tenant}/workspaces`, {
    data: { name: unique("Walk"), base_currency: "EUR" },
  });
  expect(made.status(), await made.text()).toBe(201);
  const workspace = (await made.json()).id;
  const [first, second] = await Promise.all([
    makeNeed(context, request, workspace, {}, firstQueue),
    makeNeed(context, request, workspace, {}, firstQueue),
  ]);

  // Why the first is in the queue.
  await enter(context, "buyer");
  await page.goto(`/w/${workspace}/to-order`);
  const row = (name: string) => page.locator("[data-row]").filter({ hasText: name });
  await row(first.name).getByRole("link", { name: first.name, exact: true }).click();
  const drawer = page.getByRole("dialog");
  await expect(drawer.getByText(/needs 14 days/).first()).toBeVisible();
  await drawer.getByRole("button", { name: "Close" }).click();

  // What a longer lead time would do.
  await enter(context, "admin");
  await page.goto(`/w/${workspace}/playbook`);
  await page.getByLabel("Default lead time days", { exact: true }).fill("60");
  const effect = page.locator("section", { has: page.getByRole("heading", { name: "Effect", exact: true }) });
  await effect.getByRole("button", { name: "Preview the effect" }).click();
  await expect(effect.getByRole("link", { name: first.name })).toBeVisible();
  await expect(effect.getByText(/€/).first()).toBeVisible();

  // The buyer drafts a part of the first, and sees the lock.
  await enter(context, "buyer");
  await page.goto(`/w/${workspace}/to-order`);
  const quantity = row(first.name).getByLabel(`Quantity of ${first.name}`);
  await quantity.fill("24");
  await row(first.name).getByRole("link", { name: first.name, exact: true }).focus();
  await page.keyboard.press("a");
  await expect(drawer.getByLabel(/less than suggested/)).toBeVisible();
  const later = new Date(Date.now() + 20 * 86_400_000).toISOString().slice(0, 10);
  await drawer.getByLabel(/less than suggested/).fill(later);
  await drawer.getByRole("button", { name: "Make drafts" }).click();
  await expect(page.getByText("1 line drafted in 1 order")).toBeVisible();
  await page.getByRole("tab", { name: /^Drafted/ }).click();
  await expect(row(first.name)).toContainText("Drafted, 24");

  // The agent orders the second, and leaves the first to the buyer.
  await page.goto(`/w/${workspace}/agent-runs`);
  await page.getByRole("button", { name: "Run the agent…" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Run the agent" }).click();
  await expect(page.getByText("Done", { exact: true })).toBeVisible({ timeout: firstQueue });
  await expect(row(second.name)).toContainText("Submitted");
  await page.getByRole("tab", { name: /^Left out/ }).click();
  await expect(row(first.name)).toContainText("already answers it");
  await page.getByRole("tab", { name: /^Chosen/ }).click();
  const order = row(second.name).getByRole("link", { name: /^PO/ });
  const number = await order.innerText();
  const article =
    (await row(second.name).getByRole("link", { name: second.name }).getAttribute("href")) ?? "";
  const ordered = /Orders (\d+) from/.exec(await row(second.name).innerText())?.[1] ?? "none";

  // Somebody else approves.
  await enter(context, "approver");
  await page.goto(`/w/${workspace}/purchase-orders/${encodeURIComponent(number)}`);
  await page
    .getByRole("button", { name: /^Approve/ })
    .first()
    .click();
  await page
    .getByRole("dialog")
    .or(page.getByRole("alertdialog"))
    .getByRole("button", { name: /^Approve/ })
    .click();
  await expect(page.getByText("Ordered").first()).toBeVisible();

  // What is on its way is in the queue: nothing more is to be ordered, and the article's page says when it comes.
  const groups = async () => {
    const path = `/api/app/workspaces/${workspace}/procurement/queue`;
    const { items } = await (await context.request.get(path, { params: { text: second.name } })).json();
    return items.map((one: { group: string }) => one.group);
  };
  await expect.poll(groups).not.toContain("drafted");
  expect(await groups()).not.toContain("order");
  await page.goto(article);
  const incoming = page.locator("dl > div").filter({ has: page.getByText("Incoming", { exact: true }) });
  await expect(incoming).toContainText(ordered);
  await expect(incoming).toContainText("next on");
  expect(faults).toEqual([]);
});
