import { expect, type Page, test } from "@playwright/test";
import {
  expectAccessible,
  expectNoSidewaysScroll,
  expectReadable,
  still,
  switchTheme,
  views,
  watch,
} from "../support";
import { enter } from "./people";
import { groupOf, makeNeed } from "./queue";

const rowOf = (page: Page, name: string) => page.locator("[data-row]").filter({ hasText: name });
const tab = (page: Page, name: string) => page.getByRole("tab", { name });

for (const { name: view, width, height, theme, other } of views) {
  test.describe(view, () => {
    test.use({ viewport: { width, height }, hasTouch: view === "phone" });

    test("a suggestion is read, changed, drafted and found in its order", async ({
      page,
      context,
      request,
    }) => {
      test.slow();
      const faults = watch(page);
      await page.addInitScript((value) => localStorage.setItem("quayside.theme", value), theme);
      const { name, supplier } = await makeNeed(context, request, await enter(context, "admin"));
      const workspace = await enter(context, "buyer");
      const shot = (part: string) =>
        page.screenshot({ path: `e2e/screenshots/to-order-${part}-${view}.png`, animations: "disabled" });

      await page.goto(`/w/${workspace}/to-order`);
      await expect(page.locator("[data-row]").first()).toBeVisible();
      await expectAccessible(page);
      await expectNoSidewaysScroll(page);
      await shot(theme);
      await switchTheme(page, other);
      await expectReadable(page);
      await shot(other);

      // The reason, with its numbers and the projected stock.
      await page.goto(`/w/${workspace}/to-order?text=${name}&grouped=true`);
      const row = rowOf(page, name);
      await expect(row).toContainText("min 24, by 12");
      await expect(page.getByText(`${supplier}1 line`)).toBeVisible();
      await row.getByRole("link", { name, exact: true }).click();
      const drawer = page.getByRole("dialog");
      await expect(drawer.getByText("3 available")).toBeVisible();
      await expect(drawer.getByRole("figure", { name: "Projected stock" })).toBeVisible();
      await drawer.getByLabel("Demand, ± %").fill("100");
      await expect(drawer.getByText("With these assumptions").first()).toBeVisible();
      await still(page);
      await expectAccessible(page, { overlay: true });
      await expectNoSidewaysScroll(page);
      await shot("detail");
      await drawer.getByRole("button", { name: "Close" }).click();
      await expect(drawer).toHaveCount(0);

      // A quantity that cannot be ordered is marked, and one press makes it right.
      const quantity = row.getByLabel(`Quantity of ${name}`);
      await quantity.fill("130");
      await row.getByRole("button", { name: "Use 132" }).click();
      await expect(quantity).toHaveValue("132");
      await expect(row).toContainText("€330.00");

      if (view === "phone") await row.getByRole("button", { name: "Draft…" }).click();
      else {
        await row.getByRole("link", { name, exact: true }).focus();
        await page.keyboard.press("x");
        await expect(page.getByText("1 selected")).toBeVisible();
        await page.keyboard.press("a");
      }
      await expect(drawer.getByRole("heading", { name: "Make drafts from 1 line" })).toBeVisible();
      await still(page);
      await expectAccessible(page, { overlay: true });
      await shot("draft");
      await drawer.getByRole("button", { name: "Make drafts" }).click();
      await expect(page.getByText("1 line drafted in 1 order")).toBeVisible();
      await expect(row).toHaveCount(0);

      await tab(page, "Drafted").click();
      await expect(row).toContainText("Drafted, 132");
      await row.getByRole("link", { name: /Drafted, 132/ }).click();
      await expect(page).toHaveURL(/\/purchase-orders\/.*line=/);
      await expect(page.getByRole("dialog").getByText(name).first()).toBeVisible();
      expect(faults).toEqual([]);
    });

    test("a suggestion is put off, and comes back", async ({ page, context, request }) => {
      test.slow();
      const { name } = await makeNeed(context, request, await enter(context, "admin"));
      const workspace = await enter(context, "buyer");
      await page.goto(`/w/${workspace}/to-order?text=${name}`);
      const row = rowOf(page, name);
      const ask = async (button: string, key: string) => {
        if (view === "phone") return row.getByRole("button", { name: button }).click();
        await row.getByRole("link", { name, exact: true }).focus();
        await page.keyboard.press(key);
      };
      await expect(row).toBeVisible();
      await ask("Put off…", "s");
      await page.getByRole("dialog").getByRole("button", { name: "In two weeks" }).click();
      await expect(page.getByText(`${name} put off until`)).toBeVisible();
      await expect(row).toHaveCount(0);
      await tab(page, "Put off").click();
      await expect(row).toContainText("until");
      await row.getByRole("button", { name: "Restore" }).click();
      await expect(row).toHaveCount(0);
      await expect.poll(() => groupOf(context, workspace, name)).toBe("order");

      // Dismissing needs a reason, and can be undone at once.
      await tab(page, "To order").click();
      await expect(row).toBeVisible();
      await ask("Dismiss…", "d");
      const dialog = page.getByRole("dialog", { name: /^Dismiss/ });
      await dialog.getByRole("button", { name: "Dismiss", exact: true }).click();
      await expect(dialog.getByText("Give a reason")).toBeVisible();
      await dialog.getByRole("button", { name: "The season is over" }).click();
      await dialog.getByRole("button", { name: "Dismiss", exact: true }).click();
      await expect(row).toHaveCount(0);
      await page.getByRole("button", { name: "Undo" }).last().click();
      await expect(row).toBeVisible();
    });
  });
}

test("a viewer reads the queue, and can decide nothing", async ({ page, context }) => {
  const workspace = await enter(context, "viewer");
  await page.goto(`/w/${workspace}/to-order`);
  await expect(page.locator("[data-row]").first()).toBeVisible();
  await expect(page.getByRole("checkbox", { name: /^Select/ })).toHaveCount(0);
  await expect(page.getByRole("textbox", { name: /^Quantity/ })).toHaveCount(0);
  await page.keyboard.press("j");
  await page.keyboard.press("a");
  await expect(page.getByRole("dialog")).toHaveCount(0);
});
