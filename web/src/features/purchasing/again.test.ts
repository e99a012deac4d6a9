import { expect, test } from "vitest";
import type { Line } from "@/api/types.gen";
import { again } from "./again-dialog";

test("a line is ordered again by its article, without its day, note and need", () => {
  const line = {
    id: "l1",
    order_no: "PO-1",
    sku: "TEA",
    product_id: "p1",
    supplier_id: "s1",
    quantity_ordered: "12",
    price_per_unit: "1.50",
    currency: "EUR",
    note: "urgent",
    expected_arrival_date: "2026-12-01",
    recommendation_key: "rq1:x:1",
  } as Line;
  const fields = { supplier_id: "s1", quantity_ordered: "12", price_per_unit: "1.50", currency: "EUR" };
  expect(again(line)).toEqual({ product_id: "p1", ...fields });
  expect(again({ ...line, product_id: undefined } as unknown as Line)).toEqual({ sku: "TEA", ...fields });
});
