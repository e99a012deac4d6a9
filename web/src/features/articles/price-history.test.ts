import { expect, test } from "vitest";
import type { ArticleLine } from "@/api/types.gen";
import { priceHistory } from "./price-history";

const line = (status: ArticleLine["status"], day: string, amount: string, currency = "EUR"): ArticleLine => ({
  id: day,
  order_no: "PO-1",
  status,
  quantity_ordered: "1",
  quantity_received: "0",
  price: { amount, currency },
  ordered_at: `${day}T10:00:00Z`,
  created_at: "2026-01-01T00:00:00Z",
});
const day = (time: string) => time.slice(0, 10);

test("a price stays until there is another one, in its own currency", () => {
  const lines = [
    line("cancelled", "2026-05-01", "9"),
    line("ordered", "2026-04-01", "3.5"),
    line("received", "2026-03-01", "4", "USD"),
    line("received", "2026-02-01", "3"),
    line("draft", "2026-06-01", "1"),
  ];
  const costs = [{ at: "2026-03-05T00:00:00Z", amount: "2.8", currency: "EUR" }];
  expect(priceHistory({ lines, costs }, day)).toEqual([
    {
      currency: "EUR",
      days: ["2026-02-01", "2026-03-05", "2026-04-01"],
      series: [
        { label: "Order price", values: [3, 3, 3.5] },
        { label: "Cost of the product", values: [null, 2.8, 2.8] },
      ],
    },
    { currency: "USD", days: ["2026-03-01"], series: [{ label: "Order price", values: [4] }] },
  ]);
});

test("without prices there is no history", () => {
  expect(priceHistory({ lines: [line("draft", "2026-01-01", "1")], costs: [] }, day)).toEqual([]);
});
