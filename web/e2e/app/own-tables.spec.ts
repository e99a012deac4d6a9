import { expect, test } from "@playwright/test";
import { settled, watch } from "../support";
import { enter, makeKey, send } from "./people";

// Columns of built-in tables belong to the company, so this company is used by no other test.
test("from a table made by hand to a mended record, a filled column and a rehearsed rule", async ({
  page,
  context,
  request,
}) => {
  const faults = watch(page);
  const workspace = await enter(context, "own");
  const dialog = page.getByRole("dialog", { name: "Add a column" });

  // A table, made by hand.
  await page.goto(`/w/${workspace}/tables`);
  await page.getByRole("button", { name: "New table" }).click();
  await page.getByLabel("Name").fill("Board decisions");
  await page.getByRole("button", { name: "Make table" }).click();
  await expect(page.getByRole("heading", { name: "Columns of Board decisions" })).toBeVisible();
  await page.getByRole("button", { name: "Add column" }).click();
  await dialog.getByLabel("Name").fill("state");
  await dialog.getByRole("button", { name: "Add column" }).click();
  await expect(dialog).toBeHidden();
  await page.getByRole("button", { name: "Add column" }).click();
  await dialog.getByLabel("Name").fill("unanimous");
  await dialog.getByLabel("Type").click();
  await page.getByRole("option", { name: "Yes or no" }).click();
  await dialog.getByRole("button", { name: "Add column" }).click();
  await expect(dialog).toBeHidden();

  // Records by HTTP. A bad one is mended by a rule that is kept.
  const board = await makeKey(context, workspace, "board_decisions", "Board");
  const decide = (id: string, state: string, unanimous: unknown) =>
    send(request, "board_decisions", board, { external_id: id, state, unanimous });
  expect((await decide("B-1", "open", true)).status()).toBe(200);
  expect((await decide("B-2", "postponed", "ja")).status()).toBe(422);
  await page.goto(`/w/${workspace}/failures`);
  await page.getByRole("link", { name: "Wrong type unanimous" }).click();
  await page.getByRole("link", { name: /^Fix and retry/ }).click();
  await page.getByLabel('What "ja" becomes').click();
  await page.getByRole("option", { name: "true", exact: true }).click();
  await page.getByLabel("Keep as a rule for records to come").check();
  await page.getByRole("button", { name: "Retry 1 import" }).click();
  await expect(page.getByText("1 stored")).toBeVisible();
  const mended = await decide("B-3", "done", "ja");
  expect([mended.status(), mended.headers()["ingest-coerced"]]).toEqual([200, "unanimous"]);

  // A rule is rehearsed: it names what it would have refused.
  await page.goto(`/w/${workspace}/tables/board_decisions/columns`);
  await page.getByRole("button", { name: "Change state" }).click();
  const change = page.getByRole("dialog", { name: "Change state" });
  await change.getByLabel("Choices").fill("open\ndone");
  await change.getByRole("button", { name: "Save", exact: true }).click();
  const found = change.getByRole("status", { name: "What these rules would have refused" });
  await expect(found).toContainText("1 stored row breaks the rule.");
  await expect(found.getByText("1 stored row breaks the rule.")).toBeInViewport();
  await expect(found.getByRole("list", { name: "Examples" }).first()).toContainText("B-2");
  await change.getByRole("button", { name: "Save anyway" }).click();
  await expect(change).toBeHidden();

  // A field of products that nobody knew becomes a column, filled with what was kept.
  const shop = await makeKey(context, workspace, "products", "Shop");
  const product = (id: string) =>
    send(request, "products", shop, { external_id: id, name: `Lamp oil ${id}`, fire_class: "K1" });
  expect((await product("FIRE-1")).status()).toBe(200);
  const section = page.getByRole("region", { name: "Fields that arrive and are not stored" });
  await expect(async () => {
    await page.goto(`/w/${workspace}/tables/products/columns`);
    await settled(page);
    await expect(section.getByRole("listitem").filter({ hasText: "fire_class" })).toBeVisible({
      timeout: 2_000,
    });
  }).toPass();
  await section.getByRole("button", { name: "Keep values" }).click();
  await expect(section.getByRole("button", { name: "Stop keeping values" })).toBeVisible();
  expect((await product("FIRE-2")).status()).toBe(200);
  await expect(async () => {
    await page.goto(`/w/${workspace}/tables/products/columns`);
    await settled(page);
    await expect(section.getByText("Came in 2 records")).toBeVisible({ timeout: 2_000 });
  }).toPass();
  await section.getByRole("button", { name: "Make fire_class a column" }).click();
  await dialog.getByRole("button", { name: "Add column" }).click();
  await expect(dialog).toBeHidden();
  await expect(section.getByRole("list", { name: "Made into columns" })).toContainText("1 record filled");
  await expect(section.getByRole("button", { name: "Fill fire_class" })).toBeHidden(); // nothing is left to fill it with
  await page.goto(`/w/${workspace}/tables/products`);
  await expect(page.getByRole("columnheader", { name: /Fire class/ })).toBeVisible();
  const row = (id: string) => page.getByRole("row").filter({ hasText: id });
  await expect(row("FIRE-2")).toContainText("K1");
  await expect(row("FIRE-1")).not.toContainText("K1"); // it came before values were kept
  expect(faults).toEqual([]);
});
