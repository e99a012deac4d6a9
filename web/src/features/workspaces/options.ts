import { dateFormat } from "@/lib/time";
import type { Suggestion } from "@/ui/suggest";

/** The browser's zone and UTC come first, because most people choose one of them. */
export function timeZones(): Suggestion[] {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const all = new Set([own, "UTC", ...Intl.supportedValuesOf("timeZone")]);
  return [...all].map((value) => (value === own ? { value, hint: "where you are" } : { value }));
}

const common = ["EUR", "USD", "GBP", "CHF"];

export function currencies(): Suggestion[] {
  const names = new Intl.DisplayNames("en", { type: "currency" });
  const all = new Set([...common, ...Intl.supportedValuesOf("currency")]);
  return [...all].map((value) => ({ value, hint: names.of(value) }));
}

const usual =
  "en en-GB en-US en-IE de-DE de-AT de-CH fr-FR fr-BE fr-CH nl-NL nl-BE it-IT es-ES pt-PT pt-BR da-DK sv-SE nb-NO fi-FI pl-PL cs-CZ ja-JP";

export function locales(): Suggestion[] {
  const names = new Intl.DisplayNames("en", { type: "language" });
  return usual.split(" ").map((value) => ({ value, hint: names.of(value) }));
}

const succeeds = (make: () => unknown): boolean => {
  try {
    make();
    return true;
  } catch {
    return false;
  }
};

export const isTimeZone = (timeZone: string) => succeeds(() => Intl.DateTimeFormat("en", { timeZone }));
// With a locale that the browser does not accept, every page with a number would fail.
export const isLocale = (locale: string) => succeeds(() => Intl.DateTimeFormat(locale));

/** The time of day in a zone, to help people notice a wrong one. */
export function clockIn(timeZone: string, now: Date): string | undefined {
  if (!isTimeZone(timeZone)) return undefined;
  return Intl.DateTimeFormat("en-GB", { timeZone, hour: "2-digit", minute: "2-digit" }).format(now);
}

/** An amount and a date as the workspace will show them. */
export function sample(locale: string, currency: string, now: Date): string | undefined {
  if (!isLocale(locale) || !/^[A-Za-z]{3}$/.test(currency)) return undefined;
  const amount = Intl.NumberFormat(locale, { style: "currency", currency }).format(1234.5);
  return `${amount} · ${dateFormat(locale, { dateStyle: "medium" }).format(now)}`;
}
