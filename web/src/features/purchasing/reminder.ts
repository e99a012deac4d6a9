import type { Line } from "@/api/types.gen";
import { readSetting, writeSetting } from "@/lib/storage";
import type { Delivery } from "./arrival-groups";

export type Language = "en" | "de";

export const languages = [
  { value: "en", label: "English" },
  { value: "de", label: "Deutsch" },
] as const satisfies readonly { value: Language; label: string }[];

/** The longest text that the log takes. */
export const maxText = 2000;
/** Mail programs cut addresses of mails that are much longer. */
const maxListed = 12;
const maxName = 60;

interface Words {
  subject: (order: string) => string;
  hello: (person: string | undefined) => string;
  late: (order: string, day: string) => string;
  due: (order: string, day: string) => string;
  undated: (order: string) => string;
  open: string;
  more: (count: number) => string;
  askNew: string;
  askKept: string;
  askDay: string;
  regards: string;
}

const words: Record<Language, Words> = {
  en: {
    subject: (order) => `Order ${order}: when will it arrive?`,
    hello: (person) => (person ? `Hello ${person},` : "Hello,"),
    late: (order, day) => `our order ${order} was due on ${day} and has not fully arrived.`,
    due: (order, day) => `we expect our order ${order} on ${day}.`,
    undated: (order) => `we do not know yet when our order ${order} will arrive.`,
    open: "Still open:",
    more: (count) => `and ${count} more`,
    askNew: "When will it arrive? Please name a new date.",
    askKept: "Will it arrive on that day? If not, please name a new date.",
    askDay: "When will it arrive? Please name a date.",
    regards: "Kind regards",
  },
  de: {
    subject: (order) => `Bestellung ${order}: Wann kommt die Lieferung?`,
    hello: (person) => (person ? `Guten Tag ${person},` : "Guten Tag,"),
    late: (order, day) =>
      `unsere Bestellung ${order} war für den ${day} zugesagt und ist nicht vollständig eingetroffen.`,
    due: (order, day) => `wir erwarten unsere Bestellung ${order} am ${day}.`,
    undated: (order) => `für unsere Bestellung ${order} ist uns noch kein Liefertermin bekannt.`,
    open: "Noch offen:",
    more: (count) => `und ${count} weitere`,
    askNew: "Wann trifft die Lieferung ein? Bitte nennen Sie uns einen neuen Termin.",
    askKept: "Bleibt es bei diesem Tag? Wenn nicht, nennen Sie uns bitte einen neuen Termin.",
    askDay: "Wann trifft die Lieferung ein? Bitte nennen Sie uns einen Termin.",
    regards: "Mit freundlichen Grüßen",
  },
};

// In the language of the mail, and not in that of the page.
const dayIn = (day: string, language: Language) =>
  new Intl.DateTimeFormat(language === "de" ? "de-DE" : "en-GB", {
    dateStyle: "long",
    timeZone: "UTC",
  }).format(new Date(`${day}T00:00:00Z`));

const quantityIn = (quantity: string, language: Language) =>
  new Intl.NumberFormat(language === "de" ? "de-DE" : "en-GB", { maximumFractionDigits: 6 }).format(
    Number(quantity),
  );

const short = (text: string) => (text.length > maxName ? `${text.slice(0, maxName - 1)}…` : text);

function item(line: Line, language: Language): string {
  const name = line.product_name ? `${short(line.product_name)} (${short(line.sku)})` : short(line.sku);
  return `- ${quantityIn(line.quantity_open, language)} × ${name}`;
}

/** The subject and the text of a mail that asks a supplier for the day of a delivery. */
export function reminder(
  { group, order, day, lines, contact }: Pick<Delivery, "group" | "order" | "day" | "lines" | "contact">,
  language: Language,
  from: string,
): { subject: string; text: string } {
  const say = words[language];
  const [begin, ask] = !day
    ? [say.undated(order), say.askDay]
    : group === "late"
      ? [say.late(order, dayIn(day, language)), say.askNew]
      : [say.due(order, dayIn(day, language)), say.askKept];
  const items = lines.slice(0, maxListed).map((line) => item(line, language));
  if (lines.length > maxListed) items.push(`- ${say.more(lines.length - maxListed)}`);
  const text = [
    say.hello(contact?.contact_name),
    begin,
    `${say.open}\n${items.join("\n")}`,
    ask,
    `${say.regards}\n${from}`,
  ];
  return { subject: say.subject(order), text: text.join("\n\n").slice(0, maxText) };
}

const settingOf = (supplier: string) => `reminder-language.${supplier}`;

/** The language of the last reminder to a supplier, or else the workspace's. */
export function languageFor(supplier: string | undefined, locale: string): Language {
  const kept = supplier && readSetting(settingOf(supplier));
  if (kept === "en" || kept === "de") return kept;
  return locale.startsWith("de") ? "de" : "en";
}

export function rememberLanguage(supplier: string | undefined, language: Language): void {
  if (supplier) writeSetting(settingOf(supplier), language);
}
