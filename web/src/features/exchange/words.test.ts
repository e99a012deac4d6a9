import { expect, it } from "vitest";
import type { Conflict } from "@/api/types.gen";
import { valueText } from "./words";

it.each([
  ["price", { value: "2.5" }, "EUR", "€2.50"],
  ["price", { value: "2.5" }, undefined, "2.5"],
  ["quantity", { value: "1200" }, undefined, "1,200"],
  ["receipts", { value: "0" }, undefined, "0"],
  ["expected_arrival", { value: "2026-12-17" }, undefined, "17 Dec 2026"],
  ["status", { value: "partially_received" }, undefined, "Partially received"],
  ["status", { value: "" }, undefined, "Deleted"],
  ["price", { value: "" }, "EUR", "None"],
  ["supplier", { value: "501", name: "Northern Mills" }, undefined, "Northern Mills"],
  ["supplier", { value: "501" }, undefined, "Id 501"],
  ["currency", { value: "GBP" }, "EUR", "GBP"],
] as const)("shows the %s %o", (field, value, currency, text) => {
  const of: Pick<Conflict, "field" | "currency"> = currency ? { field, currency } : { field };
  expect(valueText(of, value, "en-GB")).toBe(text);
});
