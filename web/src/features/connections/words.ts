import type { Connection, Effect, Foreseen, Match } from "@/api/types.gen";
import { formatDay } from "@/lib/time";
import type { Tone } from "@/ui/badge";

export const systemNames: Record<Connection["system"], string> = { katana: "Katana" };

export const stateWords: Record<Connection["state"], { label: string; tone: Tone }> = {
  draft: { label: "Not in use yet", tone: "neutral" },
  active: { label: "In use", tone: "good" },
  paused: { label: "Paused", tone: "warn" },
};

/** What a connection may do. */
export function may({ may_export, may_load }: Pick<Connection, "may_export" | "may_load">): string {
  if (may_export && may_load) return "Exports and loads orders";
  if (may_export) return "Exports orders";
  return may_load ? "Loads orders" : "Nothing yet";
}

export type Prospect = Foreseen["prospect"];

/** In the order in which people look at them: what needs them first. */
export const prospects: Record<Prospect, { label: string; tone: Tone }> = {
  conflict: { label: "You decide", tone: "bad" },
  held: { label: "Held", tone: "warn" },
  created_there: { label: "Created there", tone: "info" },
  changed_there: { label: "Changed there", tone: "info" },
  changed_both: { label: "Changed on both sides", tone: "info" },
  created_here: { label: "Created here", tone: "info" },
  changed_here: { label: "Changed here", tone: "info" },
  left_alone: { label: "Left alone", tone: "neutral" },
  not_looked_at: { label: "Not looked at", tone: "neutral" },
};

export const fieldNames: Record<NonNullable<Effect["field"]>, string> = {
  status: "status",
  variant: "article",
  supplier: "supplier",
  currency: "currency",
  quantity: "quantity",
  price: "price",
  expected_arrival: "expected arrival",
  receipts: "receipts",
};

const statusNames: Record<string, string> = {
  draft: "draft",
  pending_approval: "pending approval",
  ordered: "ordered",
  partially_received: "partially received",
  received: "received",
  cancelled: "cancelled",
};

/** A value of a field as people write it. */
export function value(field: Effect["field"], text: string | undefined, locale: string): string {
  if (!text) return "none";
  if (field === "status") return statusNames[text] ?? text;
  return field === "expected_arrival" ? formatDay(text, locale) : text;
}

/** What would be written, after the line's SKU. */
export function effectWords(effect: Effect, locale: string): string {
  switch (effect.what) {
    case "create":
      return `new, ${effect.to}`;
    case "delete":
      return effect.sku ? "deleted" : "the order is deleted";
    case "receive":
      return `${effect.to} received`;
    case "place":
      return "the order is placed";
    case "change":
      return `${effect.field ? fieldNames[effect.field] : ""} ${value(effect.field, effect.from, locale)} → ${value(effect.field, effect.to, locale)}`;
  }
}

export const kindWords: Record<Match["kind"], { many: string; one: string }> = {
  supplier: { many: "Suppliers", one: "supplier" },
  article: { many: "Articles", one: "article" },
  location: { many: "Locations", one: "location" },
};

/** What people call something of ours. */
export function nameOf(match: Pick<Match, "id" | "name">): string {
  return match.name || `Location ${match.id.slice(0, 8)}`;
}
