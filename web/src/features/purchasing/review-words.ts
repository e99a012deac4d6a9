import type { Line, ReviewedLine } from "@/api/types.gen";
import { formatMoney, formatNumber } from "@/lib/format";
import { formatDay } from "@/lib/time";
import { coverNow, coverWith, suggestedLess, suggestedMore } from "@/messages/purchasing";

/** A fact about a line that waits for approval. */
export interface Fact {
  text: string;
  /** A reason to look twice. */
  warns?: boolean;
}

/** Stock that lasts longer than this is a reason to look twice. */
const longCover = 180;

/** A price that rose by more than this is a reason to look twice. */
const notableRise = 0.05;

type Reviewed = Pick<
  Line,
  "quantity_ordered" | "price_per_unit" | "currency" | "expected_arrival_date" | "product_name"
>;

/** What speaks for a line and against it, the most important first. */
export function factsOf(line: Reviewed, known: ReviewedLine, locale: string): Fact[] {
  return [
    coverFact(known, locale),
    stockoutFact(line, known, locale),
    suggestionFact(line, known, locale),
    priceFact(line, known, locale),
  ].filter((fact) => fact !== undefined);
}

function coverFact(known: ReviewedLine, locale: string): Fact {
  if (known.available === undefined) return { text: "The stock is not known", warns: true };
  const { cover_days: now, cover_days_with_line: after } = known;
  if (now === undefined || after === undefined)
    return { text: `${formatNumber(known.available, locale)} available, no demand is known`, warns: true };
  const lasts = coverNow({ count: Math.round(now) }, locale);
  return {
    text: `${lasts}, ${coverWith({ count: Math.round(after) }, locale)}`,
    warns: after > longCover,
  };
}

function stockoutFact(line: Reviewed, known: ReviewedLine, locale: string): Fact | undefined {
  const { projected_stockout_date: empty } = known;
  if (!empty) return undefined;
  const runsOut = `runs out on ${formatDay(empty, locale)}`;
  const arrives = line.expected_arrival_date;
  if (!arrives) return { text: `${runsOut}; no arrival date`, warns: true };
  return { text: `${runsOut}, arrives on ${formatDay(arrives, locale)}`, warns: arrives > empty };
}

function suggestionFact(line: Reviewed, known: ReviewedLine, locale: string): Fact | undefined {
  const { suggested_quantity: suggested } = known;
  if (suggested === undefined) return undefined;
  if (suggested <= 0) return { text: "nothing is suggested", warns: true };
  const difference = Number(line.quantity_ordered) - suggested;
  const by = formatNumber(Math.abs(difference), locale);
  if (difference > 0) return { text: suggestedMore({ by }, locale), warns: true };
  return { text: difference < 0 ? suggestedLess({ by }, locale) : "as suggested" };
}

function priceFact(line: Reviewed, known: ReviewedLine, locale: string): Fact | undefined {
  const { last_price: last } = known;
  if (!line.price_per_unit || !line.currency) return undefined;
  if (!last) return { text: "never ordered before in this currency" };
  const before = Number(last.price_per_unit);
  const rise = before > 0 ? Number(line.price_per_unit) / before - 1 : 0;
  if (rise === 0) return { text: `price as on ${last.order_no}` };
  const percent = formatNumber(Math.abs(rise), locale, { percent: true });
  const was = formatMoney(last.price_per_unit, line.currency, locale);
  return {
    text: `price ${rise > 0 ? "up" : "down"} ${percent} from ${was} on ${last.order_no}`,
    warns: rise > notableRise,
  };
}
