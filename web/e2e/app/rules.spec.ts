import { type BrowserContext, expect, type Page, test } from "@playwright/test";
import {
  expectAccessible,
  expectNoSidewaysScroll,
  expectReadable,
  switchTheme,
  views,
  watch,
} from "../support";
import { enter, makeKey, send } from "./people";

/** A workspace of its own, so that its rules change nobody else's records. */
async function newWorkspace(context: BrowserContext, name: string): Promise<string> {
  await enter(context, "admin");
  const person = await (await context.request.get("/api/app/session")).json();
  const made = await context.request.post(`/api/app/tenants/${person.tenants[0].id}/workspaces`, {
    data: { name: `Rules: ${name}` },
  });
  expect(made.status()).toBe(201);
  return (await made.json()).id;
}

const customer = (id: string) => ({ external_id: id, name: "Ada", accepts_marketing: "ja" });

/** Goes from the group of failed imports to its fix: "ja" becomes true. */
async function fixGroup(page: Page, workspace: string) {
  await page.goto(`/w/${workspace}/failures`);
  await page.getByRole("link", { name: "Wrong type accepts_marketing" }).click();
  await page.getByRole("link", { name: /^Fix and retry/ }).click();
  await page.getByLabel('What "ja" becomes').click();
  await page.getByRole("option", { name: "true", exact: true }).click();
  await expect(page.getByRole("heading", { name: /changed payloads? would be stored/ })).toBeVisible();
}

test("a fix is kept as a rule, and the same mistake is mended at the door", async ({
  page,
  context,
  request,
}) => {
  const faults = watch(page);
  const workspace = await newWorkspace(context, "walk");
  const shop = await makeKey(context, workspace, "*", "Shop sync");
  const till = await makeKey(context, workspace, "*", "Till");
  for (const id of ["RULE-1", "RULE-2"])
    expect((await send(request, "customers", shop, customer(id))).status()).toBe(422);

  await page.goto(`/w/${workspace}/failures/rules`);
  await expect(page.getByText("No rules yet.")).toBeVisible();
  await fixGroup(page, workspace);
  await page.getByLabel("Keep as a rule for records to come").check();
  await expect(page.getByRole("list", { name: "Rules to keep" })).toHaveText(
    '"ja" becomes true in accepts_marketing',
  );
  await expect(page.getByLabel("For records from")).toContainText("Shop sync");
  await expectAccessible(page);
  for (const { name, width, height, theme } of views) {
    await page.setViewportSize({ width, height });
    await switchTheme(page, theme);
    await expectNoSidewaysScroll(page);
    await page.screenshot({ path: `e2e/screenshots/rule-kept-${theme}-${name}.png`, fullPage: true });
  }
  await page.getByRole("button", { name: "Retry 2 imports" }).click();
  await expect(page.getByText("2 stored")).toBeVisible();

  const mended = await send(request, "customers", shop, customer("RULE-3"));
  expect(mended.status()).toBe(200);
  expect(mended.headers()["ingest-coerced"]).toBe("accepts_marketing");
  expect((await send(request, "customers", till, customer("RULE-4"))).status()).toBe(422);

  await page.goto(`/w/${workspace}/failures`);
  await page.getByRole("link", { name: "Rules", exact: true }).click();
  const rule = page.getByRole("listitem", { name: '"ja" becomes true in accepts_marketing' });
  await expect(rule).toContainText('"ja" becomes true in accepts_marketing, from Shop sync');
  await expect(rule).toContainText("Kept by you");
  await rule.getByRole("checkbox", { name: "On" }).uncheck();
  await expect(rule.getByText("Version 2")).toBeVisible();
  expect((await send(request, "customers", shop, customer("RULE-5"))).status()).toBe(422);
  await rule.getByText("Version 2").click();
  await expect(rule.getByRole("list", { name: "Versions" }).getByRole("listitem")).toHaveCount(2);
  await rule.getByRole("checkbox", { name: "On" }).check();
  await expect(rule.getByText("Version 3")).toBeVisible();
  expect((await send(request, "customers", shop, customer("RULE-6"))).status()).toBe(200);
  expect(faults).toEqual([]);
});

test("rules are applied in their order, which can be changed", async ({ page, context }) => {
  const faults = watch(page);
  const workspace = await newWorkspace(context, "looks");
  const fixes = [
    { do: "rename", field: "Marketing", to: "accepts_marketing" },
    { do: "map", field: "accepts_marketing", from: "ja", value: true },
    { do: "number", field: "total_spent", form: "decimal_comma" },
    { do: "drop", field: "a field with a very long name that no table has ever had, and none ever will" },
  ];
  for (const table of ["customers", "orders"])
    expect(
      (
        await context.request.post(`/api/app/workspaces/${workspace}/ingest-rules`, {
          data: { filter: { table }, fixes },
        })
      ).status(),
    ).toBe(201);
  await page.goto(`/w/${workspace}/failures/rules`);
  const rules = page.getByRole("list", { name: "Rules of Customers" }).getByRole("listitem");
  await expect(rules).toHaveCount(4);
  await rules.nth(1).getByRole("button", { name: "Apply earlier" }).click();
  await expect(rules.first()).toContainText('"ja" becomes true in accepts_marketing, from every sender');
  await rules.nth(2).getByRole("checkbox", { name: "On" }).uncheck();
  await expect(rules.nth(2).getByText("Version 2")).toBeVisible();
  for (const { name, width, height, theme, other } of views) {
    await page.setViewportSize({ width, height });
    await switchTheme(page, theme);
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
    await page.screenshot({ path: `e2e/screenshots/rules-${theme}-${name}.png`, fullPage: true });
    await switchTheme(page, other);
    await expectReadable(page);
  }
  expect(faults).toEqual([]);
});

test("a buyer sees rules and cannot change them", async ({ page, context, request }) => {
  const workspace = await newWorkspace(context, "buyer");
  const key = await makeKey(context, workspace, "*", "Shop sync");
  expect((await send(request, "customers", key, customer("RULE-B"))).status()).toBe(422);
  const kept = await context.request.post(`/api/app/workspaces/${workspace}/ingest-rules`, {
    data: { filter: { table: "orders" }, fixes: [{ do: "drop", field: "note" }] },
  });
  expect(kept.status()).toBe(201);
  await enter(context, "buyer");
  await page.goto(`/w/${workspace}/failures/rules`);
  const rule = page.getByRole("listitem", { name: "note is dropped from every record" });
  await expect(rule.getByText("On", { exact: true })).toBeVisible();
  await expect(page.getByRole("checkbox")).toHaveCount(0);
  await fixGroup(page, workspace);
  await expect(page.getByLabel("Overwrite newer rows")).toBeVisible();
  await expect(page.getByLabel("Keep as a rule for records to come")).toHaveCount(0);
});
