import { readFile } from "node:fs/promises";
import { expect, type Locator, type Page, test } from "@playwright/test";
import { expectAccessible, expectNoSidewaysScroll, watch } from "../support";
import { enter } from "./people";
import { countPresses } from "./presses";

/** Drops a file on an element. */
async function drop(page: Page, on: Locator, name: string, content: string) {
  const transfer = await page.evaluateHandle(
    ([fileName, text]) => {
      const made = new DataTransfer();
      made.items.add(new File([text ?? ""], fileName ?? "", { type: "text/csv" }));
      return made;
    },
    [name, content],
  );
  await on.dispatchEvent("dragenter", { dataTransfer: transfer });
  await on.dispatchEvent("dragover", { dataTransfer: transfer });
  const offered = await page.getByText("Drop to import into").count();
  await on.dispatchEvent("drop", { dataTransfer: transfer });
  return offered > 0;
}

function card(page: Page, title: string): Locator {
  return page
    .locator("section")
    .filter({ has: page.getByRole("heading", { name: new RegExp(`^${title}`) }) });
}

/** A file with column names that no table has; every tenth record is refused. */
function suppliers(prefix: string, count: number): string {
  const rows = Array.from(
    { length: count },
    (_, i) => `${prefix}-${i};Firma ${i};${i % 10 === 3 ? "bald" : i % 30};x`,
  );
  return `Kennung;Haus;Frist;Schuhgröße\n${rows.join("\n")}\n`;
}

async function pick(page: Page, column: string, target: string) {
  await page.getByLabel(`Where ${column} goes`).click();
  await page.getByRole("option", { name: new RegExp(`^${target}`) }).click();
  await expect(page.getByLabel(`Where ${column} goes`)).toContainText(target);
  await expect(page.getByRole("listbox"), "the list has closed before the next one opens").toHaveCount(0);
}

test("a file dropped on a card: mapping, preview, progress, result, rejects", async ({ page, context }) => {
  const faults = watch(page);
  const workspace = await enter(context, "buyer");
  const prefix = `E2E-${Date.now()}`;
  const rows = async () => {
    const answer = await context.request.get(`/api/app/workspaces/${workspace}/sources/suppliers`);
    return (await answer.json()).source.figures.rows as number;
  };
  const before = await rows();
  await page.goto(`/w/${workspace}/sources`);
  expect(await drop(page, card(page, "Suppliers"), "lieferanten.csv", suppliers(prefix, 1000))).toBe(true);
  await expect(page.getByRole("heading", { name: "Import lieferanten.csv" })).toBeVisible();
  await expect(page.getByText("1,000 records for suppliers")).toBeVisible();
  await expect(page.getByLabel("Delimiter")).toContainText("Semicolon");
  await expect(page.getByText("No column of the file is mapped to the table yet.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Import 1,000 records" })).toBeDisabled();

  await pick(page, "Haus", "Name");
  await expect(page.getByText(/No column is mapped to External ID/)).toBeVisible();
  await pick(page, "Kennung", "External ID");
  await pick(page, "Frist", "Lead time days");
  const preview = page.getByRole("region", { name: "The first records of the file" });
  await expect(preview.getByText('"bald" is not a number').first()).toBeVisible();
  await expect(preview.getByRole("cell", { name: "bald (refused)" })).toHaveCount(2);
  await expect(page.getByText("2 of the first 20 records would be refused.")).toBeVisible();
  await expectAccessible(page);

  // A reload keeps the chosen mapping.
  await page.reload();
  await expect(page.getByLabel("Where Frist goes")).toContainText("Lead time days");
  await page.getByRole("button", { name: "Import 1,000 records" }).click();
  await expect(page.getByRole("progressbar", { name: "Imported" })).toBeVisible();
  await expect(page.getByText("900 of 1,000 records stored")).toBeVisible({ timeout: 60_000 });
  await expect(page.getByText("100 records refused")).toBeVisible();
  await expect(page.getByText(/lead_time_days: "bald" is not a number/)).toBeVisible();
  await expectAccessible(page);
  await expect(page.getByRole("link", { name: "Failed imports", exact: true })).toHaveAttribute(
    "href",
    /\/failures\?table=suppliers&since=\d{4}-\d\d-\d\d$/,
  );

  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Download" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("lieferanten.csv.rejects.ndjson");
  const lines = (await readFile(await download.path(), "utf8")).trim().split("\n");
  expect(lines).toHaveLength(100);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({
    external_id: `${prefix}-3`,
    name: "Firma 3",
    lead_time_days: "bald",
    _record: 4,
    _status: 422,
  });
  await expect.poll(rows).toBe(before + 900);

  // The corrected rejects can be imported like any other file.
  const corrected = lines.slice(0, 2).join("\n").replaceAll('"bald"', "7");
  await page.getByRole("link", { name: "Import another file" }).click();
  await page.getByLabel("The file to import").setInputFiles({
    name: "corrected.ndjson",
    mimeType: "application/x-ndjson",
    buffer: Buffer.from(corrected),
  });
  await expect(page.getByText("The first 2 records would be stored.")).toBeVisible();
  await page.getByRole("button", { name: "Import 2 records" }).click();
  await expect(page.getByText("All 2 records stored")).toBeVisible();
  await page.goto(`/w/${workspace}/imports?table=suppliers`);
  await expect(page.getByRole("link", { name: "lieferanten.csv" }).first()).toBeVisible();

  // The refused records name a person and no API key.
  const refused = await context.request.get(
    `/api/app/workspaces/${workspace}/failures?table=suppliers&limit=1`,
  );
  const [failure] = (await refused.json()).items;
  await page.goto(`/w/${workspace}/failures/rows?table=suppliers&open=${failure.id}`);
  const details = page.getByRole("region", { name: "Failed import", exact: true }).locator("dl");
  await expect(details.filter({ hasText: "Sent by" })).toContainText("Cleo Martin");
  await expect(page.getByText("Key 000000")).toHaveCount(0);
  expect(faults).toEqual([]);
});

test("what is stored and probably not meant is said of each row, and of the file", async ({
  page,
  context,
}) => {
  const workspace = await enter(context, "buyer");
  const key = `warned-${Date.now()}`;
  await page.goto(`/w/${workspace}/sources/products/import`);
  await page.getByLabel("The file to import").setInputFiles({
    name: "articles.csv",
    mimeType: "text/csv",
    buffer: Buffer.from(`external_id,sku,name\n${key}-1, ${key}-1,Tea\n${key}-2,${key}-2,Cup\n`),
  });
  const preview = page.getByRole("region", { name: "The first records of the file" });
  await expect(preview.getByText("The SKU begins or ends with white space")).toHaveCount(1);
  await expect(page.getByText("The first 2 records would be stored. 1 has a warning.")).toBeVisible();
  await expectAccessible(page);
  await page.screenshot({ path: "e2e/screenshots/import-warnings-preview.png" });
  await page.getByRole("button", { name: "Import 2 records" }).click();
  await expect(page.getByText("All 2 records stored")).toBeVisible();
  const warnings = page.getByRole("region", { name: "Warnings of stored records" });
  await expect(
    warnings.getByRole("row", { name: /^1 The SKU begins or ends with white space.* sku 1$/ }),
  ).toBeVisible();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  await page.screenshot({ path: "e2e/screenshots/import-warnings.png" });
});

test("a German file in three presses, one of them an answer", async ({ page, context }) => {
  const faults = watch(page);
  const workspace = await enter(context, "buyer");
  const prefix = `E2E-DE-${Date.now()}`;
  const rows = [
    `${prefix}-1;Grüner Tee;1.240,50;1.240;31.12.2026;Nein`,
    `${prefix}-2;Früchtetee;0,75;2.000;03.04.2026;Ja`,
  ];
  await page.goto(`/w/${workspace}/sources/products/import`);
  await page.getByLabel("The file to import").setInputFiles({
    name: "artikel.csv",
    mimeType: "text/csv",
    buffer: Buffer.from(
      `Artikelnummer;Bezeichnung;Einkaufspreis;Lagerbestand;Bestandsdatum;Auslaufartikel\r\n${rows.join("\r\n")}\r\n`,
      "latin1",
    ),
  });
  await expect(page.getByLabel("Where Artikelnummer goes")).toContainText("SKU");
  await expect(page.getByText("1.240,50 in line 2 can be read in one way only")).toBeVisible();
  const start = page.getByRole("button", { name: "Import 2 records" });
  await expect(start).toBeDisabled();
  await expect(page.getByText("1 column needs an answer first")).toBeVisible();
  await expectAccessible(page);

  const presses = countPresses(page);
  const asked = page.getByRole("group", { name: "How Lagerbestand is written" });
  await expect(asked.getByRole("button", { name: /^one point two four/ })).toBeVisible();
  await presses.click(
    asked.getByRole("button", { name: /^one thousand two hundred forty .*as in Einkaufspreis/ }),
  );
  await expect(asked.getByRole("button", { name: /^one thousand/ })).toHaveAttribute("aria-pressed", "true");
  await expect(page.getByText("2 of the first 2 records would be refused.")).toBeVisible();
  await presses.click(page.getByRole("button", { name: "Use all suggestions" }));
  await expect(page.getByText("The first 2 records would be stored.")).toBeVisible();
  const preview = page.getByRole("region", { name: "The first records of the file" });
  for (const sent of ["Grüner Tee", "1240.50", "1240", "2026-12-31", "false"])
    await expect(preview.getByRole("cell", { name: sent, exact: true })).toBeVisible();
  await presses.click(start);
  await expect(page.getByText("All 2 records stored")).toBeVisible();
  presses.expectAtMost(3);
  expect(faults).toEqual([]);
});

test("a file is read in another way, and discarded, by keyboard", async ({ page, context }) => {
  const workspace = await enter(context, "buyer");
  await page.goto(`/w/${workspace}/sources/suppliers`);
  await page.getByRole("heading", { name: "Suppliers", level: 1 }).waitFor();
  await page.keyboard.press("i");
  await expect(page.getByRole("heading", { name: "Import a file into Suppliers" })).toBeVisible();
  await page.getByLabel("The file to import").setInputFiles({
    name: "list.csv",
    mimeType: "text/csv",
    buffer: Buffer.from("external_id,name\nA,Alpha\nB\n"),
  });
  await expect(page.getByText("line 3 has 1 cells, the header has 2")).toBeVisible();
  await page.getByLabel("Delimiter").focus();
  await page.keyboard.press("Enter");
  await page.getByRole("option", { name: "Semicolon" }).press("Enter");
  await expect(page.getByText("No column of the file is mapped to the table yet.")).toBeVisible();
  await page.getByRole("button", { name: "Discard" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Discard" }).click();
  await expect(page.getByRole("heading", { name: "Suppliers", level: 1 })).toBeVisible();
});

test("what cannot be imported is refused in words", async ({ page, context }) => {
  const workspace = await enter(context, "admin");
  await page.goto(`/w/${workspace}/sources/orders/import`);
  const choose = (name: string, buffer: Buffer) =>
    page
      .getByLabel("The file to import")
      .setInputFiles({ name, mimeType: "application/octet-stream", buffer });
  for (const [name, buffer, says] of [
    ["orders.pdf", Buffer.from("%PDF-1.7"), "orders.pdf cannot be imported."],
    ["orders.xls", Buffer.from("x"), "Save it as .xlsx or as CSV."],
    ["empty.csv", Buffer.alloc(0), "empty.csv is empty."],
    ["large.csv", Buffer.alloc(33 * 1024 * 1024, "a\n"), "files of up to 32 MB can be imported"],
    ["header.csv", Buffer.from("external_id\n"), "Header.csv has no records."],
    ["broken.xlsx", Buffer.from("PK\u0003\u0004 no archive"), "not readable as XLSX"],
  ] as const) {
    await choose(name, buffer);
    await expect(page.getByRole("alert")).toContainText(says);
  }
  await expectNoSidewaysScroll(page);
});

test("a viewer can look at imports and not make any", async ({ page, context }) => {
  const workspace = await enter(context, "viewer");
  await page.goto(`/w/${workspace}/sources`);
  await card(page, "Suppliers").waitFor();
  await expect(page.getByRole("link", { name: "Import a file into Suppliers" })).toHaveCount(0);
  expect(await drop(page, card(page, "Suppliers"), "a.csv", "external_id\n1\n")).toBe(false);
  await expect(page.getByRole("heading", { name: "Sources" })).toBeVisible();
  await page.goto(`/w/${workspace}/sources/suppliers/import`);
  await expect(page.getByText("Your role cannot import files.")).toBeVisible();
  await page.goto(`/w/${workspace}/imports`);
  await expect(page.getByRole("heading", { name: "File imports" })).toBeVisible();
  const refused = await context.request.post(
    `/api/app/workspaces/${workspace}/sources/suppliers/imports?name=a.csv`,
    {
      headers: { "Content-Type": "application/octet-stream" },
      data: "external_id\n1\n",
    },
  );
  expect(refused.status()).toBe(403);
});
