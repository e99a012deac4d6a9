import { expect, test } from "@playwright/test";
import { watch } from "../support";
import { dialogOf } from "./orders";
import { enter, makeKey, send } from "./people";
import { countPresses } from "./presses";
import { makeNeed } from "./queue";

type Need = Awaited<ReturnType<typeof makeNeed>>;

test("three suggested articles are ordered by keyboard alone, with a reload in the middle", async ({
  page,
  context,
  request,
}) => {
  const faults = watch(page);
  const workspace = await enter(context, "admin");
  const needs = await Promise.all([1, 2, 3].map(() => makeNeed(context, request, workspace)));
  const [first] = needs as [Need, Need, Need];
  const key = await makeKey(context, workspace, "products", `${first.name} key`);
  for (const { name } of needs)
    await send(request, "products", key, { external_id: name, supplier_id: first.name });
  const due = async () => {
    const path = `/api/app/workspaces/${workspace}/procurement/summary`;
    const { suppliers } = await (await context.request.get(path)).json();
    return suppliers.find((one: { supplier?: { name: string } }) => one.supplier?.name === first.supplier)
      ?.lines;
  };
  await expect.poll(due).toBe(3);

  await enter(context, "buyer");
  const presses = countPresses(page);
  const cells = page.getByRole("textbox", { name: /^Quantity of/ });
  await page.goto(`/w/${workspace}`);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await presses.key("g");
  await presses.key("p");
  await expect(page.getByRole("heading", { level: 1, name: "Purchase orders" })).toBeVisible();
  await presses.key("n");
  await expect(page.getByRole("combobox", { name: "Supplier" })).toBeFocused();
  await page.keyboard.type(first.supplier);
  await expect(page.getByRole("option")).toHaveCount(1);
  await expect(page.getByRole("option")).toContainText("3 articles to order");
  await presses.key("Enter");
  await expect(cells.first()).toBeFocused();
  await expect(cells).toHaveCount(3);
  await presses.key("s");
  await expect(cells.nth(1)).toBeFocused();
  const state = page.getByRole("region", { name: "The order" }).getByRole("status");
  await expect(state).toContainText(/^Draft .+ · saved$/);
  const drafted = await cells.first().inputValue();
  expect(Number(drafted)).toBeGreaterThan(0);
  // 25 is no carton of 12: it is rounded, and the row says so.
  await page.keyboard.type("25");
  await presses.key("Enter");
  await expect(page.getByText("Rounded from 25 to 36, cartons of 12, at least 24.")).toBeVisible();
  await expect(state).toContainText(/· saved$/);

  await page.reload();
  await expect(cells.first()).toBeFocused();
  await expect(cells.first()).toHaveValue(drafted);
  await expect(cells.nth(1)).toHaveValue("36");
  await presses.key("ArrowDown");
  await presses.key("s");
  await presses.key("s");
  await expect(state).toContainText(/· saved$/);
  await presses.key("Control+Enter");
  const dialog = dialogOf(page);
  await expect(dialog).toContainText("Submit for approval: 3 lines");
  await expect(dialog.getByRole("button", { name: "Submit 3 lines" })).toBeFocused();
  await presses.key("Enter");
  await expect(page.getByText("Pending approval").first()).toBeVisible();
  presses.expectAtMost(11);
  expect(faults).toEqual([]);
});
