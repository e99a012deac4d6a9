import { expect, test } from "@playwright/test";
import { expectAccessible, settled, watch } from "../support";
import { enter, makeKey, send } from "./people";

test("a field that arrives and is not stored becomes a column, filled with what was kept", async ({
  page,
  context,
  request,
}) => {
  const faults = watch(page);
  const workspace = await enter(context, "admin");
  await page.goto(`/w/${workspace}/tables`);
  await page.getByRole("button", { name: "New table" }).click();
  await page.getByLabel("Name").fill("Partners");
  await page.getByRole("button", { name: "Make table" }).click();
  await expect(page.getByRole("heading", { name: "Columns of Partners" })).toBeVisible();
  const columns = page.url();
  const section = page.getByRole("region", { name: "Fields that arrive and are not stored" });
  await expect(section).toBeHidden();

  const key = await makeKey(context, workspace, "partners", "Shop");
  const store = async (record: Record<string, unknown>) => {
    expect((await send(request, "partners", key, record)).status()).toBe(200);
  };
  await store({ external_id: "P-1", vat_id: "DE111", tags: ["a"] });
  await expect(async () => {
    await page.goto(`/w/${workspace}/tables/partners`);
    await settled(page);
    await expect(page.getByText("2 fields arrive and are not stored:")).toBeVisible({ timeout: 2_000 });
  }).toPass();
  await page.getByRole("link", { name: "Look at them" }).click();
  await expect(section.getByRole("listitem").filter({ hasText: "vat_id" })).toContainText("XX999");
  await expect(section.getByRole("listitem").filter({ hasText: "tags" })).toContainText(
    "which no column takes",
  );
  await section.getByRole("button", { name: "Keep values" }).click();
  await expect(section.getByRole("button", { name: "Stop keeping values" })).toBeVisible();
  await expectAccessible(page);

  await store({ external_id: "P-2", vat_id: "DE222", "Shoe size": 42 });
  await store({ external_id: "P-3", vat_id: "DE333", "Shoe size": "large" });
  await expect(async () => {
    await page.goto(columns);
    await settled(page);
    await expect(section.getByText("Came in 3 records")).toBeVisible({ timeout: 2_000 });
  }).toPass();
  await section.getByRole("button", { name: "Ignore tags" }).click();
  await expect(section.getByRole("button", { name: "Ignore tags" })).toBeHidden();

  await section.getByRole("button", { name: "Make vat_id a column" }).click();
  const dialog = page.getByRole("dialog", { name: "Add a column" });
  await expect(dialog.getByLabel("Name")).toHaveValue("vat_id");
  await dialog.getByRole("button", { name: "Add column" }).click();
  await expect(dialog).toBeHidden();
  const made = section.getByRole("list", { name: "Made into columns" });
  await expect(made.getByRole("listitem").filter({ hasText: "vat_id" })).toContainText("2 records filled");

  // A name that no column can have: the values go to another column, and the screen says what is missing.
  await expect(section).toContainText("A column cannot have this name.");
  await section.getByRole("button", { name: "Make Shoe size a column" }).click();
  await expect(dialog.getByLabel("Name")).toHaveValue("shoe_size");
  await dialog.getByLabel("Type").click();
  await page.getByRole("option", { name: "Number" }).click();
  await dialog.getByRole("button", { name: "Add column" }).click();
  await expect(dialog).toBeHidden();
  const shoes = made.getByRole("listitem").filter({ hasText: "Shoe size" });
  await expect(shoes).toContainText("1 record filled");
  await expect(shoes).toContainText("1 value does not fit");
  await expect(shoes.getByRole("list", { name: "Values that do not fit" })).toContainText("large");
  await store({ external_id: "P-4", vat_id: "DE444", "Shoe size": 43 });
  await expect(async () => {
    await page.goto(columns);
    await settled(page);
    await expect(shoes).toContainText("Records still send Shoe size", { timeout: 2_000 });
  }).toPass();
  await expectAccessible(page);

  await page.goto(`/w/${workspace}/tables/partners`);
  const row = (id: string) => page.getByRole("row").filter({ hasText: id });
  await expect(row("P-2")).toContainText("DE222");
  await expect(row("P-2")).toContainText("42");
  await expect(row("P-3")).toContainText("DE333");
  await expect(row("P-4")).toContainText("DE444");
  await expect(row("P-1")).not.toContainText("DE111"); // it came before values were kept
  expect(faults).toEqual([]);
});
