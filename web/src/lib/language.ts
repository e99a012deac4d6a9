/** The language of the page's texts; index.html names the same one. */
export const language = "en";

const known = new Map<string, string>();

/**
 * The page's language with the workspace's region: names of months are in the page's language, the
 * order of date parts and the clock follow the region.
 */
export function pageLocale(locale: string): string {
  let found = known.get(locale);
  if (!found) {
    const { language: own, region } = new Intl.Locale(locale).maximize();
    const near = `${language}-${region}`;
    const isKnown = new Intl.DateTimeFormat(near).resolvedOptions().locale === near;
    found = own === language ? locale : isKnown ? near : "en-GB";
    known.set(locale, found);
  }
  return found;
}
