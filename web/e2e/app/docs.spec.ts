import { expect, test } from "@playwright/test";
import { watch } from "../support";

// The documentation that the binary serves, under its own Content-Security-Policy.

test("the guides are read, searched and carry the service's own address", async ({ page, baseURL }) => {
  const faults = watch(page);
  await page.goto("/docs");
  await expect(page.getByRole("heading", { level: 1 })).toContainText("documentation");
  for (const group of ["Start", "Buyers", "Integrators", "Assistants", "Operators", "Internals"])
    await expect(page.locator(".VPSidebar").getByText(group, { exact: true })).toBeVisible();

  await page.locator(".VPSidebar").getByRole("link", { name: "Assistants and agents" }).click();
  await expect(page).toHaveURL(/\/docs\/mcp$/);
  await expect(page.getByText(`${baseURL}/mcp`).first()).toBeVisible();

  await page.keyboard.press("/");
  await page.getByRole("searchbox").fill("dry run");
  await expect(page.getByRole("option").first()).toBeVisible();
  await page.getByRole("option").first().click();
  await expect(page.locator(".VPDoc")).toContainText(/dry.run/i);
  if (process.env.SHOTS) await page.screenshot({ path: "e2e/screenshots/docs.png" });
  expect(faults).toEqual([]);
});

test("what the guides link to is there", async ({ request }) => {
  const seen = new Set<string>();
  const queue = ["/docs"];
  while (queue.length > 0) {
    const path = queue.pop() ?? "";
    if (seen.has(path)) continue;
    seen.add(path);
    const answer = await request.get(path);
    expect(answer.status(), path).toBe(200);
    if (!answer.headers()["content-type"]?.startsWith("text/html")) continue;
    for (const [, link = ""] of (await answer.text()).matchAll(/(?:href|src)="(\/[^"#?]*)/g))
      queue.push(link);
  }
  expect(seen.size).toBeGreaterThan(30);
  expect(seen).toContain("/docs/reference");
});
