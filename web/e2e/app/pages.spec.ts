import { readFileSync } from "node:fs";
import { expect, test } from "@playwright/test";
import { expectAccessible, expectNoSidewaysScroll, open, switchTheme, views, watch } from "../support";
import { addressOf, inside, outside } from "./pages";

for (const { name, width, height, theme, other } of views) {
  test.describe(name, () => {
    test.use({ viewport: { width, height }, hasTouch: name === "phone" });
    for (const path of [...outside, ...inside]) {
      test(path || "first steps", async ({ page, context }) => {
        const faults = watch(page);
        await open(page, await addressOf(context, path), theme);
        const file = path.replaceAll(/[^a-zA-Z0-9_]+/g, "-").replaceAll(/^-|-$/g, "") || "first-steps";
        const shot = (theme: string) =>
          page.screenshot({
            path: `e2e/screenshots/${file}-${theme}-${name}.png`,
            fullPage: true,
            animations: "disabled",
          });
        await expectAccessible(page);
        await expectNoSidewaysScroll(page);
        // For people to look at: SHOTS=1 npm run e2e.
        if (process.env.SHOTS) {
          await shot(theme);
          await switchTheme(page, other);
          await shot(other);
        }
        // A link that is not valid is refused by the API, which browsers log.
        const refused = path === "/invitation#token";
        expect(faults.filter((fault) => !refused || !fault.includes("404 (Not Found)"))).toEqual([]);
      });
    }
  });
}

test("no page is missing here", () => {
  const router = readFileSync(new URL("../../src/app/router.tsx", import.meta.url), "utf8");
  const routes = [...router.matchAll(/path: "([^"]+)"/g)].map((found) => found[1] ?? "");
  const walked = [...outside, ...inside].map((path) => path.replace(/[?#].*/, ""));
  const expected = routes
    .filter((route) => !route.startsWith("/_kit") && route !== "/w/$workspace")
    .map((route) => (route === "/" ? "" : route.replace("$slug", "orders").replace("$order", "PO-3101")));
  expect(expected.length).toBeGreaterThan(10);
  for (const route of expected) expect(walked).toContain(route);
});
