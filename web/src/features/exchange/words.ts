import type { Conflict, ConflictValue, ExchangeOrder } from "@/api/types.gen";
import { formatNumber, formatSum } from "@/lib/format";
import { formatDay } from "@/lib/time";
import type { Tone } from "@/ui/badge";

export type OrderState = ExchangeOrder["state"];

interface StateWords {
  label: string;
  tone: Tone;
  about: string;
}

/** The states of an order, in the order in which they need attention. */
export const states: Record<OrderState, StateWords> = {
  conflict: { label: "Conflict", tone: "warn", about: "A person must decide which side counts." },
  failed: { label: "Failed", tone: "bad", about: "It was refused there, or tried too often." },
  held: { label: "Held", tone: "warn", about: "Something is missing that only a person can give." },
  waiting: { label: "Waiting", tone: "neutral", about: "It is compared soon." },
  paused: { label: "Paused", tone: "neutral", about: "Somebody stopped it." },
  synced: { label: "In sync", tone: "good", about: "Both sides have the same." },
};

export const allStates = Object.keys(states) as OrderState[];

export const isOrderState = (value: unknown): value is OrderState =>
  allStates.some((state) => state === value);

export const outcomes: Record<string, { label: string; tone: Tone }> = {
  synced: { label: "In sync", tone: "good" },
  conflict: { label: "Conflict", tone: "warn" },
  held: { label: "Held", tone: "warn" },
  failed: { label: "Failed", tone: "bad" },
  later: { label: "Tried again later", tone: "neutral" },
};

const fields: Record<Conflict["field"], string> = {
  status: "Status",
  variant: "Article",
  supplier: "Supplier",
  currency: "Currency",
  quantity: "Quantity",
  price: "Price",
  expected_arrival: "Expected arrival",
  receipts: "Received",
};

export const fieldLabel = (field: Conflict["field"]) => fields[field];

/** A value as people read it: names instead of ids, money with its currency. */
export function valueText(
  { field, currency }: Pick<Conflict, "field" | "currency">,
  { value, name }: ConflictValue,
  locale: string,
): string {
  if (name) return name;
  if (value === "") return field === "status" ? "Deleted" : "None";
  switch (field) {
    case "price":
      return formatSum(value, currency, locale);
    case "quantity":
    case "receipts":
      return formatNumber(value, locale);
    case "expected_arrival":
      return formatDay(value, locale);
    case "status":
      return value.replaceAll("_", " ").replace(/^./, (first) => first.toUpperCase());
    case "supplier":
    case "variant":
      return `Id ${value}`;
    default:
      return value;
  }
}
