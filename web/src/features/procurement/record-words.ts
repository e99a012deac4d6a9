import type { Suggestion, TrackRecordFigures, TrackRecordGroup } from "@/api/types.gen";
import { agentName } from "@/lib/agents";
import { formatDay } from "@/lib/time";
import * as say from "@/messages/record";
import type { Grouping, Outcome } from "./record-search";

export const outcomeWords: Record<Outcome, string> = {
  prevented: "Stock-out prevented",
  empty: "Ran out of stock",
  overbuy: "Bought too much",
  not_known: "Stock not known",
  as_suggested: "Ordered as suggested",
  less: "Ordered fewer",
  more: "Ordered more",
  turned_down: "Turned down",
  put_off: "Put off",
  undecided: "Undecided",
  taken_back: "Taken back",
};

/** Names who decided. Nobody has if there is no buyer. */
export function buyerName(buyer: TrackRecordGroup["buyer"], me: string): string {
  switch (buyer?.type) {
    case undefined:
      return "Nobody yet";
    case "user":
      return buyer.id === me ? "You" : (buyer.name ?? "A former member");
    case "agent":
      return agentName(buyer.id, buyer.name);
    default:
      return "Another system";
  }
}

export function groupName(by: Grouping, row: TrackRecordGroup, me: string, locale: string): string {
  switch (by) {
    case "buyer":
      return buyerName(row.buyer, me);
    case "supplier":
      return row.supplier ? row.supplier.name || "A supplier that is gone" : "No supplier";
    case "month":
      return formatDay(`${row.group}-01`, locale, { month: "long", year: "numeric" });
  }
}

type Counted = [count: number, says: typeof say.tooLate];

/** Says what there is of each, and leaves out what there is none of. */
const listed = (parts: Counted[], locale: string): string =>
  parts
    .filter(([count]) => count > 0)
    .map(([count, says]) => says({ count }, locale))
    .join(", ");

export const orderedSum = ({ as_suggested, less, more }: TrackRecordFigures) => as_suggested + less + more;

export function orderedWords({ as_suggested, less, more }: TrackRecordFigures, locale: string): string {
  return listed(
    [
      [as_suggested, say.asSuggested],
      [less, say.fewer],
      [more, say.more],
    ],
    locale,
  );
}

export const notOrderedSum = (figures: TrackRecordFigures) => figures.suggested - orderedSum(figures);

export function notOrderedWords(figures: TrackRecordFigures, locale: string): string {
  return listed(
    [
      [figures.turned_down, say.turnedDown],
      [figures.put_off, say.putOff],
      [figures.undecided, say.undecided],
      [figures.taken_back, say.takenBack],
    ],
    locale,
  );
}

type EmptyDays = TrackRecordFigures["empty_days"];

export const emptySum = ({ too_late, waiting, supplier, too_few }: EmptyDays) =>
  too_late + waiting + supplier + too_few;

/** The causes of the empty days. */
export function causeWords({ too_late, waiting, supplier, too_few }: EmptyDays, locale: string): string {
  return listed(
    [
      [too_late, say.tooLate],
      [waiting, say.waiting],
      [supplier, say.bySupplier],
      [too_few, say.tooFew],
    ],
    locale,
  );
}

/** What the counts of prevented stock-outs are of. */
export function judgedWords({ judged, not_known }: TrackRecordFigures, locale: string): string {
  if (judged + not_known === 0) return "no day has passed yet";
  return [
    say.ofJudged({ count: judged }, locale),
    not_known > 0 && say.notKnown({ count: not_known }, locale),
  ]
    .filter(Boolean)
    .join("; ");
}

export type CaseBadge = "prevented" | "empty" | "overbuy" | "not_known";

/** What is said of a case beside its sentence. */
export function badgesOf({ known, prevented_on, empty_from, overbuy_quantity }: Suggestion): CaseBadge[] {
  if (known === false) return ["not_known"];
  const badges: CaseBadge[] = [];
  if (prevented_on) badges.push("prevented");
  if (empty_from) badges.push("empty");
  if ((overbuy_quantity ?? 0) > 0) badges.push("overbuy");
  return badges;
}
