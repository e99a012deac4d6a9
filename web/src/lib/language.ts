/** The language of the page's own words; index.html says the same to the browser. */
export const language = "en";

const known = new Map<string, string>();

/**
 * The page's language as the workspace's region writes it: words such as those of months are the
 * page's, their order and the clock are those of the region.
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
