// Signs in through the sign-in page and looks for a text in a table, or for any row if TEXT is empty:
//   EMAIL=… PASSWORD=… TABLE=suppliers TEXT="Harbour Teas" node scripts/see-record.mjs http://localhost:8080
import { chromium } from "@playwright/test";

const { EMAIL, PASSWORD, TABLE, TEXT, CHROMIUM = "/usr/bin/chromium" } = process.env;
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
try {
  const page = await browser.newPage({ baseURL: process.argv[2] });
  await page.goto("/sign-in");
  await page.getByLabel("Email").fill(EMAIL);
  await page.getByRole("textbox", { name: "Password" }).fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(/\/w\//);
  const [, workspace] = new URL(page.url()).pathname.match(/^\/w\/([^/]+)/);
  await page.goto(`/w/${workspace}/tables/${TABLE}`);
  const row = TEXT ? page.getByRole("row").filter({ hasText: TEXT }) : page.getByRole("row").nth(1);
  await row.first().waitFor();
} finally {
  await browser.close();
}
