import { readFile } from "node:fs/promises";
import { type Download, expect, type Locator, type Page, test } from "@playwright/test";
import {
  expectAccessible,
  expectNoSidewaysScroll,
  open,
  says,
  still,
  switchTheme,
  views,
  watch,
} from "./support";

for (const { name, width, height, theme, other } of views) {
  test.describe(name, () => {
    test.use({ viewport: { width, height }, hasTouch: name === "phone" });

    for (const path of ["/_kit", "/_kit/screen"]) {
      test(`${path} is accessible and keeps the policy`, async ({ page }) => {
        const faults = watch(page);
        await open(page, path, theme);
        // Charts and Markdown are separate chunks.
        if (path === "/_kit") await loaded(page);
        const file = path.replaceAll("/", "-").replace(/^-/, "") || "home";
        // For people to look at: SHOTS=1 npm run e2e.
        const shot = async (theme: string) =>
          process.env.SHOTS &&
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
      const faults = watch(page);
      await open(page, "/_kit", theme);
      const shot = (what: string) =>
        page.screenshot({ path: `e2e/screenshots/${what}-${theme}-${name}.png` });
      const opened = async (popup: Locator) => {
        await popup.waitFor();
        await still(page);
      };
      const dialog = page.getByRole("dialog");

      await page.getByRole("button", { name: "Open dialog" }).click();
      await opened(dialog);
      await expectAccessible(page, { overlay: true });
      await shot("dialog");
      await page.keyboard.press("Escape");
      await expect(dialog).toHaveCount(0);

      await page.getByRole("button", { name: "Open drawer" }).click();
      await opened(dialog);
      await shot("drawer");
      await page.keyboard.press("Escape");
      await expect(dialog).toHaveCount(0);

      await page.getByRole("button", { name: "Revoke key" }).click();
      const question = page.getByRole("alertdialog");
      await opened(question);
      await expectAccessible(page, { overlay: true });
      await shot("confirm");
      await page.getByRole("button", { name: "Cancel" }).last().click();
      await expect(question).toHaveCount(0);

      await page.getByRole("button", { name: "Actions", exact: true }).click();
      await opened(page.getByRole("menu"));
      await expectAccessible(page, { overlay: true });
      await shot("menu");
      await page.keyboard.press("Escape");
      await expect(page.getByRole("menu")).toHaveCount(0);

      await page.getByRole("combobox", { name: "Scope" }).click();
      await opened(page.getByRole("listbox"));
      await expectAccessible(page, { overlay: true });
      await shot("select");
      await page.keyboard.press("Escape");
      await expect(page.getByRole("listbox")).toHaveCount(0);

      await page.getByRole("button", { name: "Generate key" }).click();
      await expect(page.getByText("Give the key a label")).toBeVisible();
      await expect(page.getByLabel("Label")).toBeFocused();

      await page.getByRole("button", { name: "Success with undo" }).click();
      await page.getByRole("button", { name: "Error", exact: true }).click();
      await opened(page.getByText("Line 3 has no supplier price in EUR.").first());
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
      await question.getByRole("button", { name: "Leave without saving" }).click();
      await expect(page.getByRole("dialog")).toHaveCount(0);
      expect(faults).toEqual([]);
    });

    test("a chart is read with a pointer, with keys and as a table", async ({ page }) => {
      const faults = watch(page);
      await open(page, "/_kit", theme);
      await loaded(page);
      const chart = page.getByRole("figure", { name: "Projected stock of TEE-BLK-M" });
      await expect(chart.getByRole("img")).toHaveAccessibleName("Projected stock of TEE-BLK-M");
      await expect(chart.getByRole("img")).toHaveAccessibleDescription(/^Runs out on 29 Dec 2026\./);
      const tip = chart.locator("[data-chart-tip]");

      const cursor = chart.getByRole("slider", { name: "Point of Projected stock of TEE-BLK-M" });
      await cursor.focus();
      await page.keyboard.press("Home");
      await expect(cursor).toHaveAttribute("aria-valuetext", "Mon, 9 Nov 2026: Projected stock 180 pcs");
      await page.keyboard.press("ArrowRight");
      await expect(tip).toContainText("Tue, 10 Nov 2026");
      await expect(tip).toContainText("174 pcs");
      await page.keyboard.press("End");
      await expect(cursor).toHaveAttribute("aria-valuetext", /^Thu, 7 Jan 2027: /);
      await page.keyboard.press("Escape");
      await expect(tip).toHaveCount(0);
      await expect(cursor).toBeFocused();
      await page.keyboard.press("ArrowLeft");
      await expect(tip).toContainText("Wed, 6 Jan 2027");
      await cursor.blur();
      await expect(tip).toHaveCount(0);

      const plot = chart.getByRole("img");
      const { width, height } = (await plot.boundingBox()) ?? { width: 0, height: 0 };
      await plot.hover({ position: { x: width - 14, y: height / 2 }, force: true });
      await expect(tip).toContainText("Thu, 7 Jan 2027");
      await plot.hover({ position: { x: width / 2, y: height / 2 }, force: true });
      await expect(tip).not.toContainText("Thu, 7 Jan 2027");
      const [frame, shown] = [await plot.boundingBox(), await tip.boundingBox()];
      expect(shown?.x).toBeGreaterThanOrEqual(frame?.x ?? 0);
      expect((shown?.x ?? 0) + (shown?.width ?? 0)).toBeLessThanOrEqual((frame?.x ?? 0) + width);
      await chart.screenshot({ path: `e2e/screenshots/chart-${theme}-${name}.png` });

      if (name === "phone") {
        await plot.tap({ position: { x: width - 14, y: height / 2 }, force: true });
        await expect(tip).toContainText("Thu, 7 Jan 2027");
        await chart.getByText("Runs out on").tap();
        await expect(tip).toHaveCount(0);
      }

      const button = chart.getByRole("button", { name: "Table of" });
      await button.click();
      await expect(button).toHaveAttribute("aria-pressed", "true");
      await expect(chart.getByRole("row")).toHaveCount(61);
      await expect(chart.getByRole("row", { name: /^Mon, 30 Nov 2026/ })).toContainText("PO-2240");
      await expectAccessible(page);
      await chart.screenshot({ path: `e2e/screenshots/chart-table-${theme}-${name}.png` });
      await button.click();
      await expect(plot).toBeVisible();
      expect(faults).toEqual([]);
    });

    test("a chart is saved as CSV and as a picture in the page's colours", async ({ page }) => {
      const faults = watch(page);
      await open(page, "/_kit", theme);
      await loaded(page);
      const chart = page.getByRole("figure", { name: "Demand of TEE-BLK-M" });
      const csv = await saved(page, chart.getByRole("button", { name: "CSV of" }));
      expect(csv.suggestedFilename()).toBe("demand-of-tee-blk-m.csv");
      const lines = (await readFile(await csv.path(), "utf8")).split("\r\n");
      expect(lines[0]).toBe(
        'Week of,Sold,Forecast,Last year,"80 % interval, low","80 % interval, high",Reorder point,Notes',
      );
      expect(lines).toHaveLength(28);
      expect(lines[7]).toMatch(/^2026-09-14,,,\d+,,,90,Out of stock$/);

      const png = await saved(page, chart.getByRole("button", { name: "PNG of" }));
      expect(png.suggestedFilename()).toBe("demand-of-tee-blk-m.png");
      const path = `e2e/screenshots/chart-file-${theme}-${name}.png`;
      await png.saveAs(path);
      const found = await page.evaluate(countColors, (await readFile(path)).toString("base64"));
      expect(found.ground).toBeGreaterThan(found.all * 0.8);
      for (const count of found.series) expect(count).toBeGreaterThan(100);
      expect(faults).toEqual([]);
    });

    test("Markdown is written, previewed and saved", async ({ page }) => {
      const faults = watch(page);
      await open(page, "/_kit", theme);
      await loaded(page);
      const area = page.getByLabel("Strategy", { exact: true });
      const text = "## Later\n\n[bad](javascript:alert(1)) <b>tag</b>\n\n- one";
      await area.fill(text);
      await page.getByRole("tab", { name: "Preview" }).click();
      const preview = page.getByRole("tabpanel", { name: "Preview" });
      await expect(preview.getByRole("heading", { name: "Later" })).toBeVisible();
      await expect(preview).toContainText("bad <b>tag</b>");
      await expect(preview.getByRole("link")).toHaveCount(0);
      await expect(preview.getByRole("listitem")).toHaveText("one");
      await expectAccessible(page);
      await says(page, `${text.length} characters saved`, () =>
        page.getByRole("button", { name: "Save the strategy" }).click(),
      );
      await page.getByRole("tab", { name: "Write" }).click();
      await expect(area).toHaveValue(text);
      expect(faults).toEqual([]);
    });

    test("palette and shortcut sheet", async ({ page }) => {
      const faults = watch(page);
      await open(page, "/_kit/screen", theme);
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: "Search commands" }).waitFor();
      await still(page);
      await expectAccessible(page, { overlay: true });
      await page.screenshot({ path: `e2e/screenshots/palette-${theme}-${name}.png` });
      await page.keyboard.type("comp");
      await page.keyboard.press("Enter");
      await expect(page).toHaveURL(/\/_kit$/);
      await expect(page.locator("#main")).toBeFocused();
      await expect(page).toHaveTitle("Components · Quayside");

      await page.keyboard.press("?");
      await page.getByRole("heading", { name: "Keyboard shortcuts" }).waitFor();
      await still(page);
      await expectAccessible(page, { overlay: true });
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
  await still(page);
  await expectAccessible(page, { overlay: true });
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

test("at 320 px no label of a chart touches another", async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 800 });
  await open(page, "/_kit", "light");
  await loaded(page);
  await expectNoSidewaysScroll(page);
  const touching = await page.evaluate(() =>
    [...document.querySelectorAll("figure svg[role=img]")].flatMap((chart) => {
      const texts = [...chart.querySelectorAll("text")].map((text) => ({
        text: text.textContent,
        box: text.getBBox(),
      }));
      const { width } = chart.getBoundingClientRect();
      const apart = (a: DOMRect, b: DOMRect) =>
        a.x + a.width <= b.x ||
        b.x + b.width <= a.x ||
        a.y + a.height <= b.y + 2 ||
        b.y + b.height <= a.y + 2;
      return texts.flatMap(({ text, box }, index) => [
        ...(box.x < -1 || box.x + box.width > width + 1 ? [`${text} leaves the chart`] : []),
        ...texts
          .slice(index + 1)
          .filter((other) => !apart(box, other.box))
          .map((other) => `${text} touches ${other.text}`),
      ]);
    }),
  );
  expect(touching).toEqual([]);
});

test("a page without charts, Markdown or diffs loads none of their code", async ({ page }) => {
  const scripts: string[] = [];
  page.on("request", (request) => scripts.push(new URL(request.url()).pathname));
  const heavy = () => scripts.filter((path) => /(chart|markdown|diff)-[^/]*\.js$/.test(path));
  await open(page, "/_kit/screen", "light");
  expect(heavy()).toEqual([]);
  await page.goto("/_kit");
  await loaded(page);
  expect(heavy().length).toBeGreaterThan(3);
});

/** Waits until the separately loaded parts of the kit's page are shown. */
async function loaded(page: Page) {
  await expect(page.locator("figure svg[role=img]")).toHaveCount(7);
  await expect(page.getByRole("heading", { name: "Receiving goods" })).toBeVisible();
}

async function saved(page: Page, button: Locator): Promise<Download> {
  const [file] = await Promise.all([page.waitForEvent("download"), button.click()]);
  return file;
}

/** How many pixels of a picture have the colours of the background and of the first three lines. */
async function countColors(base64: string) {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const picture = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
  const canvas = new OffscreenCanvas(picture.width, picture.height);
  const context = canvas.getContext("2d");
  if (!context) throw new Error("no canvas");
  context.drawImage(picture, 0, 0);
  const { data } = context.getImageData(0, 0, picture.width, picture.height);
  const style = getComputedStyle(document.documentElement);
  const count = (name: string) => {
    context.fillStyle = style.getPropertyValue(name).trim();
    // The build may shorten colours in the style sheet; compare six-digit values.
    const color = context.fillStyle;
    const [r, g, b] = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
    let found = 0;
    for (let at = 0; at < data.length; at += 4)
      if (data[at] === r && data[at + 1] === g && data[at + 2] === b) found++;
    return found;
  };
  return {
    all: data.length / 4,
    ground: count("--surface"),
    series: ["--series-1", "--series-2", "--series-3"].map(count),
  };
}
