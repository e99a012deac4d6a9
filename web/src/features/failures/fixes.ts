import type { Column, Fix, Sample } from "@/api/types.gen";
import { members } from "@/lib/json-text";
import { pointedField } from "./reasons";
import type { DraftFix, Form } from "./retry-search";

export function draftFix(given: Partial<DraftFix> = {}): DraftFix {
  return { do: "set", field: "", to: "", from: "", value: "", form: "", ...given };
}

/** What the fix still lacks, or undefined. The service checks the rest. */
export function fixProblem(fix: DraftFix): string | undefined {
  if (fix.field.trim() === "") return "Name the field.";
  if (fix.do === "rename" && fix.to.trim() === "") return "Give the field its new name.";
  if (fix.do === "rename" && fix.to.trim() === fix.field.trim()) return "The new name is the old one.";
  if (fix.do === "map" && fix.from.trim() === "") return "Give the value to look for.";
  if ((fix.do === "map" || fix.do === "set") && fix.value.trim() === "")
    return "Give the new value; null clears the field.";
  if ((fix.do === "number" || fix.do === "date") && fix.form === "") return "Say how they are written.";
  return undefined;
}

/** A typed value as JSON: unchanged if it is JSON, otherwise as a string. */
export function asJson(typed: string): string {
  try {
    JSON.parse(typed);
    return typed.trim();
  } catch {
    return JSON.stringify(typed);
  }
}

/** The value to send. Numbers keep their spelling if the browser has JSON.rawJSON. */
function literal(typed: string): unknown {
  const { rawJSON } = JSON as { rawJSON?: (text: string) => unknown };
  const text = asJson(typed);
  const value: unknown = JSON.parse(text);
  return typeof value === "number" && rawJSON ? rawJSON(text) : value;
}

/** Converts a draft to the API's form. */
export function toFix(draft: DraftFix): Fix {
  const field = draft.field.trim();
  switch (draft.do) {
    case "set":
      return { do: "set", field, value: literal(draft.value) };
    case "rename":
      return { do: "rename", field, to: draft.to.trim() };
    case "drop":
      return { do: "drop", field };
    case "map":
      return { do: "map", field, from: literal(draft.from), value: literal(draft.value) };
    case "number":
    case "date":
      return { do: draft.do, field, ...(draft.form && { form: draft.form }) };
  }
}

/** Describes a fix, for lists of past retries. */
export function fixWords(fix: Fix): string {
  switch (fix.do) {
    case "set":
      return `set ${fix.field} to ${JSON.stringify(fix.value)}${fix.missing ? " where it is missing" : ""}`;
    case "rename":
      return `rename ${fix.field} to ${fix.to}`;
    case "drop":
      return `drop ${fix.field}`;
    case "map":
      return `in ${fix.field}, replace ${JSON.stringify(fix.from)} with ${JSON.stringify(fix.value)}`;
    case "number":
      return `read ${fix.field} as a number written ${fix.form && written[fix.form]}`;
    case "date":
      return `read ${fix.field} as a day written ${fix.form && written[fix.form]}`;
  }
}

/** An example of each form. */
export const written: Record<Form, string> = {
  decimal_point: "1,234.56",
  decimal_comma: "1.234,56",
  day_first: "31.12.2026",
  month_first: "12/31/2026",
  year_first: "2026/12/31",
};

/** The choice that is the same word as a value in another spelling: "On-Hold" is on_hold. */
export function sameWord(value: string, choices: readonly string[]): string | undefined {
  const plain = (text: string) => text.toLowerCase().replaceAll(/[\s_-]+/g, "");
  return choices.find((choice) => plain(choice) === plain(value));
}

const maxOffered = 6;

/**
 * Suggests fixes from the payloads and their errors: renames of unknown fields to missing columns,
 * and new values for values that are not allowed. A new value is filled in only if it is the same
 * word; what another value means is for a person to say.
 */
export function likelyFixes(samples: readonly Sample[], columns: readonly Column[]): DraftFix[] {
  const offers = [...likelyRenames(samples, columns)];
  for (const { after, errors } of samples) {
    const sent = new Map(members(after).map((member) => [member.name, member.value]));
    for (const { code, pointer } of errors) {
      const field = pointedField(pointer);
      const column = columns.find((one) => one.name === field);
      const value = sent.get(field);
      if (!column || value === undefined) continue;
      if (code === "choice" && column.choices)
        offers.push(
          draftFix({ do: "map", field, from: value, value: sameWord(spelled(value), column.choices) ?? "" }),
        );
      else if (!column.required && code !== "required") offers.push(draftFix({ do: "drop", field }));
    }
  }
  const known = new Map(offers.map((offer) => [JSON.stringify(offer), offer]));
  return [...known.values()].slice(0, maxOffered);
}

/** A value without the quotes of a text. */
export function spelled(json: string): string {
  const value: unknown = JSON.parse(json);
  return typeof value === "string" ? value : json;
}

/** Pairs each missing column with the most similar unknown field. */
function likelyRenames(samples: readonly Sample[], columns: readonly Column[]): DraftFix[] {
  const missing = new Set(
    samples.flatMap(({ errors }) =>
      errors.filter((error) => error.code === "required").map((error) => pointedField(error.pointer)),
    ),
  );
  const known = new Set(columns.map((column) => column.name));
  const strange = new Map(
    samples
      .flatMap(({ after }) => members(after))
      .filter((member) => !known.has(member.name))
      .map((member) => [member.name, member.value]),
  );
  const pairs = columns
    .filter((column) => missing.has(column.name))
    .flatMap((column) =>
      [...strange].map(([name, value]) => ({
        name,
        to: column.name,
        score: likeness(name, column.name) + (fits(value, column.type) ? 0.5 : 0),
      })),
    )
    .sort((a, b) => b.score - a.score);
  const offers: DraftFix[] = [];
  for (const { name, to } of pairs) {
    if (offers.some((offer) => offer.field === name || offer.to === to)) continue;
    offers.push(draftFix({ do: "rename", field: name, to }));
  }
  return offers;
}

/** Whether a value looks like what a column of a type holds. */
function fits(value: string, type: Column["type"]): boolean {
  if (type === "number") return /^"?-?[\d.]+"?$/.test(value);
  if (type === "boolean") return value === "true" || value === "false";
  return value.startsWith('"');
}

/** The similarity of two names: the share of the shorter one's letters that the longer has in order. */
function likeness(a: string, b: string): number {
  const [short, long] =
    a.length < b.length ? [a.toLowerCase(), b.toLowerCase()] : [b.toLowerCase(), a.toLowerCase()];
  let at = 0;
  let hits = 0;
  for (const letter of short) {
    const found = long.indexOf(letter, at);
    if (found === -1) continue;
    hits++;
    at = found + 1;
  }
  return hits / short.length;
}

/** Field names to suggest: first those of the payloads, then those of the table. */
export function knownFields(
  samples: readonly Sample[],
  columns: readonly Column[],
): { value: string; hint: string }[] {
  const takes = columns.filter((column) => column.accepted);
  const names = new Set(takes.map((column) => column.name));
  const strange = new Set(
    samples
      .flatMap((sample) => members(sample.before).map((member) => member.name))
      .filter((name) => !names.has(name)),
  );
  return [
    ...[...strange].map((value) => ({ value, hint: "in the payloads, not a column" })),
    ...takes.map((column) => ({ value: column.name, hint: column.type })),
  ];
}
