import { expect, test } from "@playwright/test";
import { expectAccessible, watch } from "../support";
import { enter, makeKey, send } from "./people";

test("a Company-Admin makes a table, and a record that a system sends is in its grid", async ({
  page,
  context,
  request,
}) => {
  const faults = watch(page);
  const workspace = await enter(context, "admin");
  await page.goto(`/w/${workspace}/tables`);
  await page.getByRole("button", { name: "New table" }).click();
  await page.getByLabel("Name").fill("Decisions");
  await expect(page.getByText("/api/ingest/decisions")).toBeVisible();
  await page.getByRole("button", { name: "Make table" }).click();

  await expect(page.getByRole("heading", { name: "Columns of Decisions" })).toBeVisible();
  await expectAccessible(page);
  const add = async (name: string, rest: () => Promise<void>) => {
    await page.getByRole("button", { name: "Add column" }).click();
    const dialog = page.getByRole("dialog", { name: "Add a column" });
    await dialog.getByLabel("Name").fill(name);
    await rest();
    await dialog.getByRole("button", { name: "Add column" }).click();
    await expect(dialog).toBeHidden();
  };
  await add("Title", () => page.getByLabel("Required").check());
  await add("status", () => page.getByLabel("Choices").fill("open\ndone"));
  await add("weight", async () => {
    await page.getByLabel("Type").click();
    await page.getByRole("option", { name: "Number" }).click();
    await page.getByLabel("At most").fill("10");
  });
  await add("supplier_id", async () => {
    await page.getByLabel("Type").click();
    await page.getByRole("option", { name: "A record of another table" }).click();
    await page.getByLabel("Table", { exact: true }).click();
    await page.getByRole("option", { name: "Suppliers" }).click();
  });
  await expect(page.getByRole("list", { name: "Columns", exact: true }).getByRole("listitem")).toHaveCount(4);
  await expect(page.getByText("Text · one of open, done")).toBeVisible();

  const key = await makeKey(context, workspace, "decisions", "Board");
  const refused = await send(request, "decisions", key, { external_id: "D-1", title: "x", weight: 11 });
  expect(refused.status()).toBe(422);
  const stored = await send(request, "decisions", key, {
    external_id: "D-1",
    title: "Buy more tea",
    status: "open",
    weight: "3.5",
  });
  expect(stored.headers()["ingest-result"]).toBe("created");

  await page.getByRole("button", { name: "Retire weight" }).click();
  await page.getByRole("button", { name: "Retire column" }).click();
  await expect(page.getByRole("list", { name: "Retired columns" })).toContainText("weight");
  await page.getByRole("link", { name: "Decisions", exact: true }).click();
  const row = page.getByRole("row").filter({ hasText: "D-1" });
  await expect(row).toContainText("Buy more tea");
  await expect(row).not.toContainText("3.5");

  await page.getByRole("link", { name: "Define columns" }).click();
  await page.getByRole("button", { name: "Bring weight back" }).click();
  await expect(page.getByRole("list", { name: "Retired columns" })).toBeHidden();
  await page.getByRole("link", { name: "Decisions", exact: true }).click();
  await expect(row).toContainText("3.5");

  await page.getByRole("link", { name: "Define columns" }).click();
  await page.getByRole("button", { name: "Retire table" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Retire table" }).click();
  await page.getByRole("button", { name: "Bring Decisions back" }).click();
  await expect(page.getByRole("link", { name: /^Decisions/ })).toBeVisible();
  expect(faults).toEqual([]);
});

test("a Company-Admin adds a column to a built-in table, and it is in the grid like the others", async ({
  page,
  context,
  request,
}) => {
  const faults = watch(page);
  const workspace = await enter(context, "admin");
  await page.goto(`/w/${workspace}/tables/meeting_notes`);
  await page.getByRole("link", { name: "Define columns" }).click();
  await expect(page.getByRole("heading", { name: "Columns of Meeting Notes" })).toBeVisible();
  await expect(page.getByRole("list", { name: "Built-in columns" })).toContainText("started_at");
  await expect(page.getByRole("button", { name: "Rename" })).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Retire table" })).toHaveCount(0);
  await expectAccessible(page);
  await page.getByRole("button", { name: "Add column" }).click();
  const dialog = page.getByRole("dialog", { name: "Add a column" });
  await dialog.getByLabel("Name").fill("Mood");
  await dialog.getByLabel("Choices").fill("calm\nheated");
  await dialog.getByRole("button", { name: "Add column" }).click();
  await expect(dialog).toBeHidden();
  const own = page.getByRole("list", { name: "Columns", exact: true });
  await expect(own).toContainText("mood");
  await expect(own).toContainText("your column");

  const key = await makeKey(context, workspace, "meeting_notes", "Notes");
  const note = { external_id: "N-MOOD", title: "A talk about hazards", started_at: "2026-03-14T09:30:00Z" };
  const stored = await send(request, "meeting_notes", key, { ...note, mood: "heated" });
  expect(stored.headers()["ingest-dropped"]).toBeUndefined();

  await page.getByRole("link", { name: "Meeting Notes", exact: true }).click();
  await expect(page.getByRole("columnheader", { name: /Mood/ })).toBeVisible();
  await expect(page.getByRole("row").filter({ hasText: "A talk about hazards" })).toContainText("heated");
  expect(faults).toEqual([]);
});

test("nobody else can define tables", async ({ page, context }) => {
  const workspace = await enter(context, "buyer");
  await page.goto(`/w/${workspace}/tables`);
  await expect(page.getByRole("link", { name: /^Orders/ })).toBeVisible();
  await expect(page.getByRole("button", { name: "New table" })).toHaveCount(0);
});
