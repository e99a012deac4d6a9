import type { ConfigKey, PlaybookBy, Sop, Strategy } from "@/api/types.gen";
import { typedDecimals, writeDecimal } from "@/lib/decimal-text";

/** A form's fields, all as text. Config keys have their own names, and true or false if they are switches. */
export type Draft = Record<string, string>;

/** The name of a document that does not exist yet, in its address. */
export const isNew = (name: string) => name === "new";

/** A config key in words: "stale_po_days" is "Stale PO days". */
export function keyLabel(name: string): string {
  const words = name
    .replaceAll("_", " ")
    .replace(/\bpo\b/, "PO")
    .replace(/ pct$/, "");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The unit behind a key's value. */
export function keyUnit({ name, type }: ConfigKey, currency: string): string | undefined {
  if (name.endsWith("_pct")) return "%";
  return type === "amount" ? currency : undefined;
}

/** A value of the config for a text field; empty if there is none. */
export function writeValue(value: unknown, locale: string): string {
  return typeof value === "number" ? writeDecimal(String(value), locale) : String(value ?? "");
}

/** The fields of a form of keys. */
export function draftOf(keys: readonly ConfigKey[], values: Record<string, unknown>, locale: string): Draft {
  return Object.fromEntries(keys.map(({ name }) => [name, writeValue(values[name], locale)]));
}

/**
 * The typed values of keys: a boolean, a number, or null if the field is empty. Numbers that are
 * not clear are thrown like a refusal of the service.
 */
export function readValues(
  keys: readonly ConfigKey[],
  draft: Draft,
  locale: string,
): Record<string, unknown> {
  const isSwitch = (key: ConfigKey) => key.type === "boolean";
  const texts = keys.filter((key) => !isSwitch(key)).map(({ name }) => [name, draft[name] ?? ""]);
  const numbers = Object.entries(typedDecimals(Object.fromEntries(texts) as Draft, locale));
  return {
    ...Object.fromEntries(keys.filter(isSwitch).map(({ name }) => [name, draft[name] === "true"])),
    ...Object.fromEntries(numbers.map(([name, text]) => [name, text === "" ? null : Number(text)])),
  };
}

/** The members whose values differ from those before. */
export function differing(now: Record<string, unknown>, before: Record<string, unknown>) {
  return Object.fromEntries(Object.entries(now).filter(([name, value]) => value !== before[name]));
}

/** The members that have a value. */
export function given<T extends object>(values: T): Partial<T> {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== null && value !== ""),
  ) as Partial<T>;
}

export const statusWords = { draft: "Draft", active: "Active", archived: "Archived" } as const;

export const statusChoices = [
  { value: "draft", label: "Draft", hint: "a proposal; the version before it stays in force" },
  { value: "active", label: "Active", hint: "in force" },
  { value: "archived", label: "Archived", hint: "not in force any more" },
] as const satisfies readonly { value: Strategy["status"]; label: string; hint: string }[];

export const scopeChoices = [
  { value: "workspace", label: "All articles" },
  { value: "family", label: "A family" },
  { value: "supplier", label: "A supplier" },
  { value: "product", label: "An article" },
] as const satisfies readonly { value: Strategy["scope"]; label: string }[];

export const roleChoices = [
  { value: "company_admin", label: "Company-Admin" },
  { value: "approver", label: "Approver" },
  { value: "buyer", label: "Buyer" },
  { value: "viewer", label: "Viewer" },
  { value: "agent", label: "Agent" },
] as const satisfies readonly { value: Sop["owner_role"]; label: string }[];

type NameOf = (id: string | undefined) => string;

/** Who wrote a version. */
export function authorName({ type, id }: PlaybookBy, names: Record<"user" | "agent", NameOf>): string {
  if (type === "user" || type === "agent") return names[type](id);
  return { operator: "The operator", system: "Quayside" }[type];
}

/** Whether an SOP should have been looked at again by now. */
export function reviewDue(
  { status, review_date }: Pick<Sop, "status" | "review_date">,
  today: string,
): boolean {
  return status !== "archived" && review_date !== undefined && review_date <= today;
}
