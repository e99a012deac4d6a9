import type { CustomerDue } from "@/api/types.gen";
import type { Tone } from "@/ui/badge";

type Status = NonNullable<CustomerDue["status"]>;

export const statusNames: Record<Status, string> = {
  due: "Due",
  overdue: "Overdue",
  not_due: "Not due",
  lapsed: "Lapsed",
};

export const tones: Record<Status, Tone> = {
  due: "info",
  overdue: "warn",
  not_due: "neutral",
  lapsed: "bad",
};

/** The status of an order's payment and delivery: "paid, fulfilled" */
export function stateOf(order: { financial_status?: string; fulfillment_status?: string }): string {
  return [order.financial_status, order.fulfillment_status]
    .flatMap((word) => (word ? [word.replaceAll("_", " ").toLowerCase()] : []))
    .join(", ");
}
