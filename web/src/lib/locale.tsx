import { createContext, use } from "react";

/** The workspace's settings for numbers, money and times. */
export interface Locale {
  locale: string;
  currency: string;
  timeZone: string;
}

const guess: Locale = {
  locale: typeof navigator === "undefined" ? "en" : navigator.language,
  currency: "EUR",
  timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
};

const LocaleContext = createContext(guess);

export const LocaleProvider = LocaleContext.Provider;

export function useLocale(): Locale {
  return use(LocaleContext);
}
