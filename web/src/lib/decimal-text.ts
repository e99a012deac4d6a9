import { isDecimal } from "./decimal";
import { ApiError } from "./problem";

/** How a locale writes decimals. */
interface Writing {
  point: string;
  /** The characters that separate groups of digits; all count as the same. */
  group: string;
  /** Digits in the last group, and in those before it: 3 and 3, or 3 and 2 in India. */
  last: number;
  before: number;
  /** Its digits from 0 to 9. */
  digits: string[];
}

const spaces = " \u00a0\u202f\u2009";
const apostrophes = "'’";
const known = new Map<string, Writing>();

function writingOf(locale: string): Writing {
  let found = known.get(locale);
  if (!found) {
    found = learn(locale);
    known.set(locale, found);
  }
  return found;
}

function learn(locale: string): Writing {
  const parts = new Intl.NumberFormat(locale, { useGrouping: "always" }).formatToParts(1234567890.5);
  const of = (type: string) => parts.filter((part) => part.type === type).map(({ value }) => value);
  const [group = ""] = of("group");
  const sizes = of("integer").map((digits) => digits.length);
  const digits = new Intl.NumberFormat(locale, { useGrouping: false });
  return {
    point: of("decimal")[0] ?? ".",
    group: [spaces, apostrophes].find((alike) => group !== "" && alike.includes(group)) ?? group,
    last: sizes.at(-1) ?? 3,
    before: sizes.at(-2) ?? 3,
    digits: Array.from({ length: 10 }, (_, digit) => digits.format(digit)),
  };
}

/** A decimal as the API takes it, empty for no value; or a question, if the text is ambiguous. */
export type Reading = { value: string } | { ask: string };

/**
 * Reads a typed number in the locale's format: its decimal separator, its groups of digits (left
 * out or complete), a leading sign, no exponent. It never guesses. It returns a question for
 *
 * - text in another format, such as 1.50 in German or 1,50 in English, and
 * - one to three digits, a decimal comma and exactly three digits, such as 1,500 in German: English
 *   groups thousands this way, and pasted numbers are often English. A leading zero, another number
 *   of decimals or a group before it makes the number clear. A decimal point is always clear,
 *   because programs write it.
 */
export function readDecimal(text: string, locale: string): Reading {
  const writing = writingOf(locale);
  const plain = inPlainDigits(text, writing);
  if (plain === "") return { value: "" };
  const [, sign = "", rest = ""] = /^([+-]?)(.*)$/.exec(plain) ?? [];
  const minus = sign === "-" ? "-" : "";
  const value = readUnsigned(rest, writing);
  if (value !== undefined && !isDoubtful(rest, writing)) return { value: minus + value };
  const meant = guesses(rest).map((guess) => writeDecimal(minus + guess, locale));
  return { ask: question(text.trim(), meant, writing) };
}

function inPlainDigits(text: string, { digits }: Writing): string {
  return [
    ...text
      .replaceAll(/[\u200e\u200f\u061c]/g, "")
      .trim()
      .replace("\u2212", "-"),
  ]
    .map((char) => (digits.includes(char) ? String(digits.indexOf(char)) : char))
    .join("");
}

function readUnsigned(text: string, { point, group, last, before }: Writing): string | undefined {
  const at = text.indexOf(point);
  const whole = at < 0 ? text : text.slice(0, at);
  const fraction = at < 0 ? "" : text.slice(at + point.length);
  if (at >= 0 && !/^\d+$/.test(fraction)) return undefined;
  // The same separator everywhere, and no leading zero in a grouped number.
  const one = `[${group.replaceAll(/[\\\]^-]/g, "\\$&")}]`;
  const grouped = new RegExp(`^[1-9]\\d{0,${before - 1}}(${one})(?:\\d{${before}}\\1)*\\d{${last}}$`);
  const isGrouped = group !== "" && grouped.test(whole);
  // A decimal separator may begin a number: .5 is 0.5.
  if (!isGrouped && !(at >= 0 ? /^\d*$/ : /^\d+$/).test(whole)) return undefined;
  const digits = whole.replaceAll(/\D/g, "").replace(/^0+(?=\d)/, "") || "0";
  return fraction ? `${digits}.${fraction}` : digits;
}

function isDoubtful(text: string, { point }: Writing): boolean {
  return point === "," && /^[1-9]\d{0,2},\d{3}$/.test(text);
}

/** Readings of a number in another locale's format: as a decimal, or as a grouped number. */
function guesses(text: string): string[] {
  if (!/^\d+([.,'’\s]\d+)+$/.test(text)) return [];
  const [, whole = "", separator = "", end = ""] = /^(.*)([.,'’\s])(\d+)$/.exec(text) ?? [];
  const digits = (part: string) => part.replaceAll(/\D/g, "").replace(/^0+(?=\d)/, "");
  const isPoint = /[.,]/.test(separator) && !whole.includes(separator);
  const asDecimal = isPoint ? [`${digits(whole)}.${end}`.replace(/\.?0+$/, "")] : [];
  return [...asDecimal, digits(text)];
}

function question(text: string, meant: string[], { point }: Writing): string {
  const shown = text.length > 40 ? `${text.slice(0, 40)}…` : text;
  if (meant.length > 0) return `${shown} — did you mean ${meant.join(" or ")}? Write it that way.`;
  return `“${shown}” is not a number. Write it like 1234${point}5.`;
}

/** A decimal of the API for editing: in the locale's format, exact, not grouped, never ambiguous. */
export function writeDecimal(value: string, locale: string): string {
  if (!isDecimal(value)) return value;
  const writing = writingOf(locale);
  const written = value.replace(".", writing.point);
  if (!isDoubtful(written.replace("-", ""), writing)) return written;
  // A further zero keeps the value and makes the text unambiguous.
  return written.endsWith("0") ? written.replace(/,?0+$/, "") : `${written}0`;
}

const unclear = "unclear_number";

/**
 * Reads a form's typed decimals, keyed by the service's pointers. Ambiguous ones are thrown as an
 * ApiError, like a refusal of the service, for the fields to show; nothing is sent then.
 */
export function typedDecimals<K extends string>(texts: Record<K, string>, locale: string): Record<K, string> {
  const read = Object.entries<string>(texts).map(([name, text]) => ({ name, ...readDecimal(text, locale) }));
  const errors = read.flatMap((one) =>
    "ask" in one ? [{ pointer: `#/${one.name}`, code: unclear, detail: one.ask }] : [],
  );
  if (errors.length > 0)
    throw new ApiError(
      { code: unclear, title: "A number is not clear", detail: errors[0]?.detail, errors },
      422,
    );
  return Object.fromEntries(read.map((one) => [one.name, "value" in one ? one.value : ""])) as Record<
    K,
    string
  >;
}

/** Whether the error is about ambiguous numbers, which the fields themselves show. */
export function isUnclear(failure: ApiError | undefined): boolean {
  return failure?.code === unclear;
}
