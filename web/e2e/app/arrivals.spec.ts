import { expect, type Page, test } from "@playwright/test";
import { expectAccessible, expectNoSidewaysScroll, says, watch } from "../support";
import { makeArticle } from "./lines";
import { act, address, dialogOf, draft, number } from "./orders";
import { enter, makeKey, send } from "./people";
import { countPresses } from "./presses";

test("a late order is reminded, called about, and gone from what is late in six presses", async ({
  page,
  context,
}) => {
  const faults = watch(page);
  const workspace = await enter(context, "buyer");
  const order = number("late");
  const submitted = await act(context, workspace, "submit", await draft(context, workspace, order, 2));
  await enter(context, "approver");
  const approved = await act(context, workspace, "approve", submitted);
  await enter(context, "buyer");
  await act(context, workspace, "dates", approved, { expected_arrival_date: "2024-02-01" });
  const presses = countPresses(page);
  const row = page.getByRole("table", { name: "Deliveries" }).getByRole("row").filter({ hasText: order });
  const button = (name: string | RegExp) => dialogOf(page).getByRole("button", { name });

  await page.goto(`/w/${workspace}`);
  await presses.click(page.getByRole("link", { name: /^Late/ }));
  await expect(row).toContainText(/days late/);
  await presses.click(row.getByRole("button", { name: /^Remind/ }));
  await expect(dialogOf(page).getByLabel("Text")).toHaveValue(/1 February 2024.*\n- 10 × /s);
  const mail = dialogOf(page).getByRole("link", { name: "Open in mail program" });
  await expect(mail).toHaveAttribute(
    "href",
    new RegExp(`subject=Order%20${encodeURIComponent(order).slice(0, 8)}`),
  );
  await presses.click(button("Copy"));
  await expect(row).toContainText(/reminded now.*by you/);

  await presses.click(row.getByRole("button", { name: /^Called/ }));
  await dialogOf(page).getByLabel("What was said").fill("On a ship, says Ms Berg");
  await presses.click(button("+7 days"));
  await presses.click(button(/^Save and move/));
  await expect(page.getByText("The call is in the order's timeline")).toBeVisible();
  await expect(row).toHaveCount(0);
  presses.expectAtMost(6);

  // The order tells both, and takes a comment that mentions somebody, by keyboard alone.
  await page.goto(address(workspace, order));
  const timeline = page.getByRole("list", { name: "Timeline" });
  await expect(timeline).toContainText("called the supplier");
  await expect(timeline).toContainText("moved 2 lines to");
  await expect(timeline).toContainText("approved 2 lines");
  await page.getByLabel("Comment on the order").pressSequentially("Look, @ada");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Control+Enter");
  await expect(timeline.getByRole("listitem").first()).toContainText(/commented.*Look, @Ada/s);

  await enter(context, "viewer");
  await page.goto(`/w/${workspace}/arrivals?group=soon`);
  await expect(row).toBeVisible();
  await expect(row.getByRole("button", { name: /^Remind/ })).toHaveCount(0);
  expect(faults).toEqual([]);
});

/** What the pretended camera of a page keeps in its window. */
interface Camera {
  camera?: MediaStreamTrack;
  /** The codes that are held into its view. */
  inView?: { rawValue: string }[];
  refused?: boolean;
}

/** Gives the page a camera that shows nothing, and a reader that finds what the test puts into view. */
async function giveCamera(page: Page) {
  await page.addInitScript(() => {
    const kept = window as unknown as Camera;
    class BarcodeDetector {
      static getSupportedFormats = async () => ["ean_13"];
      detect = async () => kept.inView ?? [];
    }
    Object.assign(window, { BarcodeDetector });
    navigator.mediaDevices.getUserMedia = async () => {
      if (kept.refused) throw new DOMException("refused", "NotAllowedError");
      const canvas = document.createElement("canvas");
      const paper = canvas.getContext("2d");
      setInterval(() => paper?.fillRect(0, 0, Math.random() * 100, 100), 50); // no picture, no frame
      const stream = canvas.captureStream();
      [kept.camera] = stream.getTracks();
      return stream;
    };
  });
}

test("a delivery is booked by scanning, in part and on a phone", async ({ page, context, request }) => {
  const workspace = await enter(context, "admin");
  const { sku, id } = await makeArticle(context, workspace);
  const barcode = `40${Date.now()}`;
  const article = `/api/app/workspaces/${workspace}/tables/products/rows/${id}`;
  const { version } = await (await context.request.get(article)).json();
  const changed = await context.request.patch(article, {
    data: { values: { barcode } },
    headers: { "If-Match": `"${version}"` },
  });
  expect(changed.status(), await changed.text()).toBe(200);
  const key = await makeKey(context, workspace, "purchase_order_lines", `Scanning ${sku}`);
  const line = { external_id: sku, order_no: `PO ${sku}`, sku, quantity_ordered: 5, status: "ordered" };
  expect((await send(request, "purchase_order_lines", key, line)).ok()).toBe(true);

  await enter(context, "buyer");
  await page.setViewportSize({ width: 390, height: 844 });
  await giveCamera(page);
  await page.goto(`/w/${workspace}/receive`);
  const presses = countPresses(page);
  const counted = page.getByRole("status", { name: `Counted of ${sku}` });
  await expect(page.getByLabel("Code")).toBeFocused();
  await page.keyboard.type(`${barcode}\n`);
  await expect(counted).toHaveText("1");
  await page.keyboard.type("no such code\n");
  await expect(page.getByText("No line that is still to come has the code no such code.")).toBeVisible();
  await page.keyboard.type(`${sku}\n`);
  await expect(counted).toHaveText("2");
  await page.reload();
  await expect(counted).toHaveText("2"); // nothing counted is lost
  await expectNoSidewaysScroll(page);
  await expectAccessible(page);
  await page.screenshot({ path: "e2e/screenshots/scan-phone.png" });
  // The camera counts a code that it sees once, and stops when the page is out of sight.
  await presses.click(page.getByRole("button", { name: "Scan with camera" }));
  await expect(page.getByLabel("Camera: hold a barcode into the view")).toBeVisible();
  await expectAccessible(page);
  await page.screenshot({ path: "e2e/screenshots/camera-phone.png" });
  await page.evaluate((code) => Object.assign(window, { inView: [{ rawValue: code }] }), barcode);
  await expect(counted).toHaveText("3");
  await page.evaluate(() => {
    Object.defineProperty(document, "hidden", { value: true, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  });
  await expect(page.getByRole("button", { name: "Scan with camera" })).toBeVisible();
  await expect
    .poll(() => page.evaluate(() => (window as unknown as Camera).camera?.readyState))
    .toBe("ended");
  await page.evaluate(() => Object.assign(window, { refused: true }));
  await page.getByRole("button", { name: "Scan with camera" }).click();
  await expect(page.getByText("The browser may not use the camera here.")).toBeVisible();
  await page.getByRole("button", { name: "Close" }).click();
  await expect(counted).toHaveText("3");
  await says(page, "Receipt of 1 line booked", () =>
    presses.click(page.getByRole("button", { name: "Book 1 line" })),
  );
  presses.expectAtMost(2); // besides the scans: the camera, and the booking
  await expect(counted).toHaveCount(0);
  const left = `/api/app/workspaces/${workspace}/arrivals/by-code?code=${barcode}`;
  expect((await (await context.request.get(left)).json()).items[0].quantity_received).toBe("3");
});
