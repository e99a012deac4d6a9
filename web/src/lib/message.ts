import { formatNumber } from "./format";
import { language } from "./language";

type Values<K extends string> = Record<K, number | string>;

/** The text for these values, with numbers in the workspace's locale. */
export type Message<K extends string> = (values: Values<K>, locale: string) => string;

const places = /\{(\w+)(?:, plural,((?: \S+ \{(?:[^{}]|\{\w+\})*\})+))?\}/g;
const forms = /(\S+) \{((?:[^{}]|\{\w+\})*)\}/g;
const rules = new Intl.PluralRules(language);

/**
 * A message in the subset of ICU's MessageFormat that the catalogue needs: {name} for a value, and
 * {count, plural, =0 {no line} one {# line} other {# lines}} with # for the number. The page's
 * language decides which plural form is used.
 */
export function message<K extends string = "count">(pattern: string): Message<K> {
  return (values, locale) => write(pattern, values, locale);
}

function write(pattern: string, values: Values<string>, locale: string): string {
  return pattern.replaceAll(places, (_, name: string, choices: string | undefined) => {
    const value = values[name] ?? "";
    const shown = typeof value === "number" ? formatNumber(value, locale) : value;
    if (choices === undefined) return shown;
    const found = new Map([...choices.matchAll(forms)].map(([, when, text = ""]) => [when, text]));
    const chosen = found.get(`=${value}`) ?? found.get(rules.select(Number(value))) ?? found.get("other");
    return write((chosen ?? "").replaceAll("#", shown), values, locale);
  });
}
