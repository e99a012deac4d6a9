import type { EffectSuggestion, PlaybookEffect } from "@/api/types.gen";
import { add, compare } from "@/lib/decimal";
import { same } from "@/lib/edit-state";
import { formatMoney } from "@/lib/format";
import {
  adds,
  addsBoth,
  addsCost,
  becomeCritical,
  fewerIn,
  keepsAll,
  moreIn,
  noEffect,
  noQueue,
  otherSuggestions,
  stopCritical,
  takes,
  takesBoth,
  takesCost,
  thisChange,
  withLessCost,
  withMoreCost,
} from "@/messages/playbook";
import type { Draft } from "./model";

export const groupWords: Record<EffectSuggestion["group"], string> = {
  order: "Order",
  expedite: "Expedite",
  upcoming: "Upcoming",
  drafted: "Drafted",
  put_off: "Put off",
  none: "Nothing to do",
};

const growth = (effect: PlaybookEffect, group: EffectSuggestion["group"]): number => {
  const lines = effect.groups.find((one) => one.group === group);
  return lines ? lines.after - lines.before : 0;
};

const negative = (amount: string) => (amount.startsWith("-") ? amount.slice(1) : `-${amount}`);

/** By how much what to order costs more, and less, each as text; empty if it does not. */
function costs(effect: PlaybookEffect, locale: string): { more: string; less: string } {
  const differences = effect.costs.map(({ currency, before, after }) => ({
    currency,
    by: add(after, negative(before)),
  }));
  const write = (sign: number) =>
    differences
      .filter(({ by }) => compare(by, "0") === sign)
      .map(({ by, currency }) => formatMoney(sign < 0 ? negative(by) : by, currency, locale))
      .join(" + ");
  return { more: write(1), less: write(-1) };
}

/** What happens to the lines to order and their cost; empty if nothing does. */
function orderClause(effect: PlaybookEffect, locale: string): string {
  const lines = growth(effect, "order");
  const { more, less } = costs(effect, locale);
  if (lines < 0) {
    const values = { lines: -lines, cost: less };
    const first = less ? takesBoth(values, locale) : takes(values, locale);
    return more ? withMoreCost({ first, cost: more }, locale) : first;
  }
  const values = { lines, cost: more };
  if (lines > 0) {
    const first = more ? addsBoth(values, locale) : adds(values, locale);
    return less ? withLessCost({ first, cost: less }, locale) : first;
  }
  if (!more) return less && takesCost({ cost: less }, locale);
  const first = addsCost(values, locale);
  return less ? withLessCost({ first, cost: less }, locale) : first;
}

/** The effect in one sentence. */
export function effectText(effect: PlaybookEffect, locale: string): string {
  if (effect.as_of === undefined) return noQueue({}, locale);
  if (effect.changed === 0) return noEffect({}, locale);
  const order = orderClause(effect, locale);
  const { become_critical: more, stop_critical: fewer } = effect;
  const critical = [
    more > 0 && becomeCritical({ count: more }, locale),
    fewer > 0 && stopCritical({ count: fewer }, locale),
  ].filter((clause) => clause !== false);
  const clauses = [order || keepsAll({}, locale), ...critical];
  if (!order && critical.length === 0) clauses.push(otherSuggestions({ count: effect.changed }, locale));
  return thisChange({ does: clauses.join("; ") }, locale);
}

/** By how much the groups beside what to order grow or shrink. */
export function groupNotes(effect: PlaybookEffect, locale: string): string[] {
  return (["expedite", "upcoming", "drafted", "put_off"] as const).flatMap((group) => {
    const by = growth(effect, group);
    if (by === 0) return [];
    const values = { group: groupWords[group], count: Math.abs(by) };
    return by > 0 ? moreIn(values, locale) : fewerIn(values, locale);
  });
}

/** Whether not all articles could be computed. */
export const isPartial = ({ articles, articles_total: total }: PlaybookEffect): boolean => articles < total;

/** Whether a change is not in force on the queue's day, once it is saved. */
export function isLater({ status, effective_from: from = "" }: Draft, { as_of }: PlaybookEffect): boolean {
  return status === "draft" || (as_of !== undefined && from > as_of);
}

/** Whether two drafts have the same effect: they differ in texts at most. */
export function sameEffect(a: Draft, b: Draft): boolean {
  const figures = ({ note, title, body, ...rest }: Draft) => Object.entries(rest).sort();
  return same(figures(a), figures(b));
}
