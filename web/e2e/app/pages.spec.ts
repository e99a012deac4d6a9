import { expect, test } from "@playwright/test";
import {
  expectAccessible,
  expectNoSidewaysScroll,
  expectReadable,
  open,
  switchTheme,
  views,
  watch,
} from "../support";
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
        // Screenshots for people to look at: SHOTS=1 npm run e2e.
        if (process.env.SHOTS) await shot(theme);
        await switchTheme(page, other);
        await expectReadable(page);
        if (process.env.SHOTS) await shot(other);
        // The API refuses an invalid link, and browsers log the refusal.
        const refused = path === "/invitation#token";
        expect(faults.filter((fault) => !refused || !fault.includes("404 (Not Found)"))).toEqual([]);
      });
    }
  });
}

test("every page of the router has an address here", () => {
  expect(inside.length).toBeGreaterThan(20);
  expect(outside).toContain("/sign-in");
  // A parameter that has no value in pages.ts stays in the address as $name; addressOf fills it in.
  expect(inside.filter((path) => path.includes("$"))).toEqual(["/imports/$import", "/products/$record"]);
});
