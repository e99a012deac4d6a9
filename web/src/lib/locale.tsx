import { createContext, use } from "react";

/** How the workspace writes numbers and times; set once in its settings. */
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
