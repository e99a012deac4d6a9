import { type APIRequestContext, expect, test } from "@playwright/test";
import { expectAccessible, expectNoSidewaysScroll, says, views, watch } from "../support";
import { enter } from "./people";

/** Calls as an assistant does: with a token and without a cookie. */
async function call(request: APIRequestContext, token: string, method: string, params = {}) {
  return request.post("/mcp", {
    headers: {
      Authorization: `Bearer ${token}`,
      Accept: "application/json, text/event-stream",
      Cookie: "",
    },
    data: { jsonrpc: "2.0", id: 1, method, params },
  });
}

const listTools = (request: APIRequestContext, token: string) => call(request, token, "tools/list");

test("an agent's token: made, shown once, used, revoked", async ({ page, context, request }) => {
  const faults = watch(page);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const workspace = await enter(context, "admin");
  await page.goto(`/w/${workspace}`);
  await page.getByRole("link", { name: "Assistants" }).first().click();
  await page.getByRole("button", { name: "Create token" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("combobox", { name: "For whom" }).click();
  await page.getByRole("option", { name: "An agent" }).click();
  await dialog.getByRole("checkbox", { name: /^Read/ }).click();
  await dialog.getByRole("button", { name: "Create token" }).click();
  await expect(dialog.getByText("Say who will use the token.")).toBeVisible();
  await expect(dialog.getByText("Choose at least one.")).toBeVisible();
  await expectAccessible(page, { overlay: true });

  const name = `Reorder agent ${Date.now()}`;
  await dialog.getByLabel("Name of the agent").fill(name);
  for (const scope of [/^Read/, /^Write/]) await dialog.getByRole("checkbox", { name: scope }).click();
  await expect(dialog.getByRole("combobox", { name: "Expires" })).toHaveText("In 90 days");
  await dialog.getByRole("button", { name: "Create token" }).click();
  const saved = dialog.getByRole("button", { name: "I saved it" });
  await expect(saved).toBeDisabled();
  await expectAccessible(page, { overlay: true });
  await dialog.getByRole("tab", { name: "curl" }).click();
  await dialog.getByRole("button", { name: "Copy curl" }).click();
  const shown = await page.evaluate(() => navigator.clipboard.readText());
  await dialog.getByRole("button", { name: "Copy", exact: true }).click();
  const token = await page.evaluate(() => navigator.clipboard.readText());
  expect(token).toMatch(/^qst_[0-9a-f]{48}$/);
  expect(shown).toContain(`${new URL(page.url()).origin}/mcp`);
  expect(shown).toContain(token);
  await expect(dialog).not.toContainText(token);
  await saved.click();
  await expect(dialog).toBeHidden();
  expect(await page.content()).not.toContain(token);

  const answer = await listTools(request, token);
  expect(answer.status()).toBe(200);
  expect((await answer.json()).result.tools.length).toBeGreaterThan(3);

  const made = await call(request, token, "tools/call", {
    name: "purchase_order_draft_create",
    arguments: { lines: [{ sku: `AGENT-${Date.now()}`, quantity_ordered: 1 }] },
  });
  const [line] = (await made.json()).result.structuredContent.lines;

  const row = page.getByRole("row").filter({ hasText: name });
  await expect(row).toContainText("Agent");
  await expect(row).toContainText("Live");
  await expect(row).toContainText("Write");
  await expect(row).not.toContainText("Failed imports");
  await row.getByRole("button", { name: `Actions for ${name}` }).click();
  await page.getByRole("menuitem", { name: "Revoke…" }).click();
  await says(page, `“${name}” is revoked`, () =>
    page.getByRole("alertdialog").getByRole("button", { name: "Revoke token" }).click(),
  );
  expect((await listTools(request, token)).status()).toBe(401);
  await expect(row).toHaveCount(0);
  await page.getByRole("tab", { name: /^Ended/ }).click();
  await expect(row).toContainText("Revoked");
  expect(new URL(page.url()).search).toBe("?ended=true");

  await page.goto(`/w/${workspace}/audit?what=token.issued`);
  await expect(page.getByText(`created the token “${name}” for an agent: read, write`)).toBeVisible();
  // People still see which agent made a line after its token has ended.
  await page.goto(`/w/${workspace}/audit?what=purchase_order_line.created`);
  await expect(page.getByRole("row").filter({ hasText: name })).toHaveCount(1);
  await page.goto(`/w/${workspace}/purchase-orders/${line.order_no}?line=${line.id}`);
  await expect(page.getByRole("dialog").getByText(name)).toHaveCount(2); // who made it, and its history
  expect(faults).toEqual([]);
});

test("a viewer makes a token for themself, without writing and agents", async ({
  page,
  context,
  request,
}) => {
  const faults = watch(page);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const workspace = await enter(context, "viewer");
  await page.goto(`/w/${workspace}/tokens`);
  await expect(page.getByRole("heading", { name: "Connect an assistant" })).toBeVisible();
  await page.getByRole("tab", { name: "VS Code" }).click();
  await expect(page.getByRole("tabpanel", { name: "VS Code" })).toContainText("promptString");
  await page.keyboard.press("n");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Label").fill("Dana's assistant");
  await expect(dialog.getByRole("checkbox")).toHaveCount(2);
  await expect(dialog.getByRole("checkbox", { name: /^Write/ })).toHaveCount(0);
  await expect(dialog.getByText("For whom")).toHaveCount(0);
  await dialog.getByRole("checkbox", { name: /^Failed imports/ }).click();
  await dialog.getByRole("button", { name: "Create token" }).click();
  await dialog.getByRole("button", { name: "Copy", exact: true }).click();
  const token = await page.evaluate(() => navigator.clipboard.readText());
  await dialog.getByRole("button", { name: "I saved it" }).click();
  await expect(dialog).toBeHidden();
  expect((await listTools(request, token)).status()).toBe(200);
  const row = page.getByRole("row").filter({ hasText: "Dana's assistant" }).first();
  await expect(row).toContainText("Dana");
  expect(faults).toEqual([]);
});

for (const { name, width, height, theme } of views) {
  test.describe(name, () => {
    test.use({ viewport: { width, height }, hasTouch: name === "phone" });
    test("tokens, and the dialog that makes and shows one", async ({ page, context }) => {
      const workspace = await enter(context, "buyer");
      const label = `Claude on the ${theme} ${name}`;
      await context.request.post(`/api/app/workspaces/${workspace}/tokens`, {
        data: { label, scopes: ["read", "write", "failed_imports"] },
      });
      await page.addInitScript((value) => localStorage.setItem("quayside.theme", value), theme);
      const shoot = (what: string) =>
        page.screenshot({
          path: `e2e/screenshots/tokens-${what}-${theme}-${name}.png`,
          fullPage: true,
          animations: "disabled",
        });
      await page.goto(`/w/${workspace}/tokens`);
      await expect(page.getByRole("row").filter({ hasText: label }).first()).toBeVisible();
      await expect(page.getByRole("heading", { name: "Connect an assistant" })).toBeVisible();
      const menu = await page
        .getByRole("button", { name: `Actions for ${label}` })
        .first()
        .boundingBox();
      expect((menu?.x ?? width) + (menu?.width ?? 0)).toBeLessThan(width);
      await expectNoSidewaysScroll(page);
      await shoot("list");
      await expectAccessible(page);
      await page.getByRole("button", { name: "Create token" }).click();
      await page.getByRole("dialog").getByLabel("Label").fill(`Cursor on the ${theme} ${name}`);
      await shoot("create");
      await page.getByRole("dialog").getByRole("button", { name: "Create token" }).click();
      await page.getByRole("dialog").getByRole("tab", { name: "Cursor" }).click();
      await shoot("reveal");
      await expectNoSidewaysScroll(page);
    });
  });
}
