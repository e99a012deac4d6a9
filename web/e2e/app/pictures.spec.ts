import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { expect, type Page, test } from "@playwright/test";
import { open, switchTheme } from "../support";
import { addressOf, inside } from "./pages";
import { enter } from "./people";

// The pictures of the README and the guides. 'make pictures' takes them. Every other run compares the parts of the
// screens (navigation, headings, columns, tabs) with those in the pictures, and fails if a picture
// is out of date. Records and numbers may differ: earlier tests change them.

const pictures = {
  arrivals: "/arrivals",
  "failed-imports": "/failures",
  "new-order": "/purchase-orders/new?supplier=$supplier",
  order: "/purchase-orders/PO-3143",
  products: "/tables/products",
};

const folder = new URL("../../../docs/pictures/", import.meta.url);
const file = (name: string) => new URL(name, folder);

/** The texts of a screen's parts, without numbers. */
function partsOf(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll("nav a, h1, h2, thead th, [role=columnheader], [role=tab]")]
      // A calendar is another one every month, and links in a page may have sums.
      .filter((part) => !part.closest("#month, main nav"))
      .map((part) => {
        const shown = part.cloneNode(true) as Element;
        // What a count counts is there only while there is one.
        for (const said of shown.querySelectorAll(".sr-only")) said.remove();
        return (shown.textContent ?? "").replaceAll(/\d[\d.,+]*/g, "").trim();
      })
      .filter((text) => text !== ""),
  );
}

test.use({ viewport: { width: 1280, height: 800 } });

for (const [name, path] of Object.entries(pictures)) {
  test(`the picture of ${path} is current`, async ({ page, context }) => {
    const address = inside.includes(path)
      ? await addressOf(context, path)
      : `/w/${await enter(context, "admin")}${path}`;
    await open(page, address, "light");
    if (process.env.PICTURES) {
      mkdirSync(folder, { recursive: true });
      for (const theme of ["light", "dark"]) {
        await switchTheme(page, theme);
        const image = await page.screenshot({ animations: "disabled" });
        writeFileSync(file(`${name}-${theme}.png`), image);
      }
      writeFileSync(file(`${name}.json`), `${JSON.stringify(await partsOf(page), null, 2)}\n`);
    }
    const taken: string[] = JSON.parse(readFileSync(file(`${name}.json`), "utf8"));
    expect(taken.length).toBeGreaterThan(10);
    await expect.poll(() => partsOf(page), "run 'make pictures'").toEqual(taken);
  });
}
