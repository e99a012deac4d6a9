import { expect, test } from "@playwright/test";
import { expectAccessible, watch } from "../support";
import { enter, makeKey, send } from "./people";

test("a stricter rule names what it would have refused before it is saved", async ({
  page,
  context,
  request,
}) => {
  const faults = watch(page);
  const workspace = await enter(context, "admin");
  const tenant = (await (await context.request.get("/api/app/session")).json()).tenants[0].id;
  const slug = "verdicts";
  const made = await context.request.post(`/api/app/tenants/${tenant}/table-definitions`, {
    data: { name: "Verdicts", slug, columns: [{ name: "state", type: "text" }] },
  });
  expect(made.status()).toBe(201);
  const key = await makeKey(context, workspace, slug, "Shop sync");
  for (const [id, state] of [
    ["V-1", "open"],
    ["V-2", "paused"],
    ["V-3", "done"],
    ["V-4", "waiting"],
  ]) {
    const stored = await send(request, slug, key, { external_id: id, state });
    expect(stored.headers()["ingest-result"]).toBe("created");
  }

  await page.goto(`/w/${workspace}/tables/${slug}/columns`);
  const dialog = page.getByRole("dialog", { name: "Change state" });
  const rules = async () =>
    (await (await context.request.get(`/api/app/tenants/${tenant}/table-definitions`)).json()).items.find(
      (one: { slug: string }) => one.slug === slug,
    ).columns[0];

  await page.getByRole("button", { name: "Change state" }).click();
  await dialog.getByLabel("Choices").fill("open\ndone");
  await dialog.getByRole("button", { name: "Save", exact: true }).click();
  const found = dialog.getByRole("status", { name: "What these rules would have refused" });
  await expect(found).toContainText("Would have refused 2 of the last 4 records of Shop sync.");
  await expect(found).toContainText("2 stored rows break the rule. What is stored stays.");
  const examples = found.getByRole("list", { name: "Examples" }).first();
  await expect(examples.getByRole("listitem")).toHaveText([
    'V-4"waiting" is not one of open, done',
    'V-2"paused" is not one of open, done',
  ]);
  expect((await rules()).choices).toBeUndefined();
  await expectAccessible(page);

  // Another rule is another question.
  await dialog.getByLabel("Choices").fill("open\ndone\npaused");
  await expect(found).toBeHidden();
  await dialog.getByRole("button", { name: "Save", exact: true }).click();
  await expect(found).toContainText("Would have refused 1 of the last 4 records of Shop sync.");
  await dialog.getByRole("button", { name: "Save anyway" }).click();
  await expect(dialog).toBeHidden();
  expect((await rules()).choices).toEqual(["open", "done", "paused"]);

  // A rule that refuses nothing is saved at once, and says so.
  await page.getByRole("button", { name: "Change state" }).click();
  await dialog.getByLabel("Choices").fill("open\ndone\npaused\nwaiting");
  await dialog.getByLabel("Required").check();
  await dialog.getByRole("button", { name: "Save", exact: true }).click();
  await expect(dialog).toBeHidden();
  await expect(
    page.getByText("None of the 4 stored rows and the last 4 records would have been refused."),
  ).toBeVisible();
  expect(faults).toEqual([]);
});
