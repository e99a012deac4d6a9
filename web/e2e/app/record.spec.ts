import { expect, test } from "@playwright/test";
import { expectAccessible, expectNoSidewaysScroll, watch } from "../support";
import { inDatabase } from "./database";
import { enter, people } from "./people";

/** Months that no other test and no demo has suggestions in. */
const span = "from=2024-03-01&to=2024-04-30";

/** Verdicts of the past: the days that they are about cannot pass while a test waits. */
function seed(workspace: string) {
  inDatabase(`INSERT INTO workspace.suggestions (tenant_id, recommendation_key, first_on, workspace_id, product_id, supplier_id, urgency,
      suggested_quantity, safety_stock, lead_time_days, until, last_on, judged_on, closed, decision, decided_on, decided_by, line_price,
      line_currency, ordered_quantity, known, prevented_on, empty_from, empty_waiting, empty_supplier, overbuy_quantity, overbuy_beyond)
    SELECT p.tenant_id, 'rq1:seed:' || p.n, day, p.workspace_id, p.id, p.supplier_id, 'high',
      40, 4, 10, day + 40, day, day + 44, true, v.decision, day + v.after, CASE WHEN v.after >= 0 THEN u.actor END, 2.5,
      'EUR', v.ordered, v.known, day + v.prevented, day + v.empty, coalesce(v.waiting, 0), coalesce(v.supplier, 0), v.over, 0
    FROM (SELECT p.*, row_number() OVER (ORDER BY sku) AS n FROM workspace.products p WHERE workspace_id = '${workspace}' AND sku IS NOT NULL) p
    JOIN (VALUES (1, date '2024-03-03', 'as_suggested', 1, 40, true, 18, NULL::int, NULL::int, NULL::int, NULL::float8),
        (2, '2024-03-20', 'turned_down', 0, NULL, true, NULL, 11, 6, NULL, NULL),
        (3, '2024-04-02', 'more', 4, 60, true, NULL, 14, 1, 2, 25),
        (4, '2024-04-09', 'undecided', NULL, NULL, false, NULL, NULL, NULL, NULL, NULL))
      v (n, day, decision, after, ordered, known, prevented, empty, waiting, supplier, over) ON v.n = p.n
    CROSS JOIN (SELECT jsonb_build_object('type', 'user', 'id', id) AS actor FROM control.users WHERE email = '${people.buyer}') u
    ON CONFLICT DO NOTHING`);
}

test("figures of the track record lead to their cases", async ({ page, context }) => {
  const faults = watch(page);
  const workspace = await enter(context, "viewer");
  seed(workspace);

  await page.goto(`/w/${workspace}/to-order`);
  await page.getByRole("link", { name: "Track record" }).click();
  await expect(page.getByRole("heading", { name: "Track record" })).toBeVisible();
  await page.goto(`/w/${workspace}/to-order/record?${span}`);
  await expect(page.getByText("of 3 judged so far; 1 not known")).toBeVisible();
  await expect(page.getByText("7 waiting for a decision, 2 waiting for the supplier").first()).toBeVisible();
  await page.getByRole("tab", { name: "By month" }).click();
  await page.getByRole("link", { name: "March 2024" }).click();
  await expect(page.locator("[data-row]")).toHaveCount(2);
  const turnedDown =
    /Suggested 40 on 20 March 2024, turned down on 20 March by Cleo.*; empty for 6 days from 31 March/;
  await expect(page.getByText(turnedDown)).toBeVisible();
  await expectAccessible(page);

  await page.setViewportSize({ width: 390, height: 844 });
  await expectNoSidewaysScroll(page);
  await page.goto(`/w/${workspace}/to-order/record?${span}`);
  await expect(page.getByRole("link", { name: "Cleo Martin" })).toBeVisible();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  await page.getByRole("link", { name: "€62.50" }).click();
  await expect(page.locator("[data-row]")).toHaveCount(1);
  await expect(page.getByText("25 more than needed were left on 12 May")).toBeVisible();
  expect(faults).toEqual([]);
});
