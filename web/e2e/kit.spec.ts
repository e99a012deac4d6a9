import { expect, test } from "@playwright/test";
import { expectAccessible, expectNoSidewaysScroll, open, switchTheme, views, watch } from "./support";

for (const { name, width, height, theme, other } of views) {
  test.describe(name, () => {
    test.use({ viewport: { width, height }, hasTouch: name === "phone" });

    for (const path of ["/_kit", "/_kit/screen"]) {
      test(`${path} is accessible and keeps the policy`, async ({ page }) => {
        const faults = watch(page);
        await open(page, path, theme);
        const file = path.replaceAll("/", "-").replace(/^-/, "") || "home";
        const shot = (theme: string) =>
          page.screenshot({
            path: `e2e/screenshots/${file}-${theme}-${name}.png`,
            fullPage: true,
            animations: "disabled",
          });
        await shot(theme);
        await expectAccessible(page);
        await expectNoSidewaysScroll(page);
        await switchTheme(page, other);
        await shot(other);
        expect(faults).toEqual([]);
      });
    }

    test("overlays are accessible and keep the policy", async ({ page }) => {
      test.slow(); // axe looks at the whole kit five times
      const faults = watch(page);
      await open(page, "/_kit", theme);
      const shot = (what: string) =>
        page.screenshot({ path: `e2e/screenshots/${what}-${theme}-${name}.png` });
      const settled = () => page.waitForTimeout(300);

      await page.getByRole("button", { name: "Open dialog" }).click();
      await settled();
      await expectAccessible(page, { overlay: true });
      await shot("dialog");
      await page.keyboard.press("Escape");

      await page.getByRole("button", { name: "Open drawer" }).click();
      await settled();
      await shot("drawer");
      await page.keyboard.press("Escape");

      await page.getByRole("button", { name: "Revoke key" }).click();
      await settled();
      await expectAccessible(page, { overlay: true });
      await shot("confirm");
      await page.getByRole("button", { name: "Cancel" }).last().click();
      await settled();

      await page.getByRole("button", { name: "Actions", exact: true }).click();
      await settled();
      await expectAccessible(page, { overlay: true });
      await shot("menu");
      await page.keyboard.press("Escape");

      await page.getByRole("combobox", { name: "Scope" }).click();
      await settled();
      await expectAccessible(page, { overlay: true });
      await shot("select");
      await page.keyboard.press("Escape");
      await settled();

      await page.getByRole("button", { name: "Generate key" }).click();
      await expect(page.getByText("Give the key a label")).toBeVisible();
      await expect(page.getByLabel("Label")).toBeFocused();

      await page.getByRole("button", { name: "Success with undo" }).click();
      await page.getByRole("button", { name: "Error", exact: true }).click();
      await settled();
      await expectAccessible(page, { overlay: true });
      await shot("toasts");

      expect(faults).toEqual([]);
    });

    test("a conflict shows both sides, and a dialog asks about unsaved work", async ({ page }) => {
      const faults = watch(page);
      await open(page, "/_kit", theme);
      await page.getByLabel("Pieces").fill("12");
      await page.getByRole("button", { name: "Save the terms" }).click();
      const conflict = page.getByRole("alert").filter({ hasText: "Ben Okafor changed this" });
      await expect(conflict).toContainText("Two pallets");
      await conflict.scrollIntoViewIfNeeded();
      await page.screenshot({ path: `e2e/screenshots/conflict-${theme}-${name}.png` });
      await conflict.getByRole("button", { name: "Keep mine" }).click();
      await expect(conflict).toHaveCount(0);
      await expect(page.getByLabel("Remark")).toHaveValue("Two pallets");

      await page.getByRole("button", { name: "Edit in a dialog" }).click();
      await page.getByRole("dialog").getByLabel("Pieces").fill("13");
      await page.keyboard.press("Escape");
      const question = page.getByRole("alertdialog");
      await expect(question).toBeVisible();
      await expectAccessible(page, { overlay: true });
      await page.screenshot({ path: `e2e/screenshots/unsaved-${theme}-${name}.png` });
      await question.getByRole("button", { name: "Leave and lose them" }).click();
      await expect(page.getByRole("dialog")).toHaveCount(0);
      expect(faults).toEqual([]);
    });

    test("palette and shortcut sheet", async ({ page }) => {
      const faults = watch(page);
      await open(page, "/_kit/screen", theme);
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: "Search commands" }).waitFor();
      await page.waitForTimeout(300);
      await expectAccessible(page);
      await page.screenshot({ path: `e2e/screenshots/palette-${theme}-${name}.png` });
      await page.keyboard.type("comp");
      await page.keyboard.press("Enter");
      await expect(page).toHaveURL(/\/_kit$/);
      await expect(page.locator("#main")).toBeFocused();
      await expect(page).toHaveTitle("Components · Quayside");

      await page.keyboard.press("?");
      await page.getByRole("heading", { name: "Keyboard shortcuts" }).waitFor();
      await page.waitForTimeout(300);
      await expectAccessible(page);
      await page.screenshot({ path: `e2e/screenshots/shortcuts-${theme}-${name}.png` });
      expect(faults).toEqual([]);
    });
  });
}

test("the phone's drawer shows every page and closes after a choice", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await open(page, "/_kit/screen", "light");
  await page.getByRole("button", { name: "More", exact: true }).click();
  const drawer = page.getByRole("dialog");
  await drawer.getByRole("link", { name: "Components" }).waitFor();
  await page.waitForTimeout(300);
  await expectAccessible(page);
  await page.screenshot({ path: "e2e/screenshots/nav-drawer-light-phone.png" });
  await drawer.getByRole("link", { name: "Components" }).click();
  await expect(drawer).toBeHidden();
  await expect(page.getByRole("heading", { level: 1, name: "Components" })).toBeVisible();
});

test("a dark theme is set before the first paint", async ({ page }) => {
  await page.emulateMedia({ colorScheme: "dark" });
  await page.route("**/assets/*.js", (route) => route.abort());
  await page.goto("/");
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
});

test("the skip link leads to the content", async ({ page }) => {
  await open(page, "/_kit/screen", "light");
  await page.keyboard.press("Tab");
  const skip = page.getByRole("link", { name: "Skip to content" });
  await expect(skip).toBeFocused();
  await expect(skip).toBeInViewport();
  await page.keyboard.press("Enter");
  await expect(page.locator("#main")).toBeFocused();
});

test("single-key shortcuts can be switched off, and never steal typing", async ({ page }) => {
  await open(page, "/_kit", "light");
  await page.getByLabel("Label").fill("what?");
  await page.getByLabel("Label").press("?");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await page.locator("#main").focus();
  await page.keyboard.press("?");
  await page.getByRole("checkbox", { name: "Single-key shortcuts" }).click();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog")).toHaveCount(0);
});
