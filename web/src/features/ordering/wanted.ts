import type { Line, LineFields, OrderableArticle } from "@/api/types.gen";
import { better } from "@/features/procurement/model";
import { compare, isDecimal } from "@/lib/decimal";
import { readDecimal } from "@/lib/decimal-text";
import type { ApiError } from "@/lib/problem";

/** What somebody typed in a row, and what became of it. Texts that are stored are dropped. */
export interface RowWork {
  quantity?: string | undefined;
  price?: string | undefined;
  /** Another expected day, set for the whole order. */
  expected?: string | undefined;
  /** The quantity as typed, which was rounded. */
  from?: string | undefined;
  /** The typed quantity counts, although it cannot be ordered that way. */
  exact?: boolean | undefined;
  /** More is wanted, although the article is on its way. */
  confirmed?: boolean | undefined;
  /** The line answers no recommendation, because another line does. */
  keyless?: boolean | undefined;
  /** The open lines that were there when a new line was sent, until its answer comes. */
  sent?: string[] | undefined;
  failure?: ApiError | undefined;
}

/** What a row's line is to be. Without a quantity there is to be none. */
export interface Wanted {
  quantity: string;
  price: string;
}

/** Reads a row: stored values, what was typed, and what can be ordered. Or a question about a number. */
export function wantedOf(
  article: OrderableArticle,
  work: RowWork,
  line: Line | undefined,
  locale: string,
): Wanted | { ask: string; field: "quantity" | "price" } {
  const typed = work.quantity === undefined ? undefined : readDecimal(work.quantity, locale);
  if (typed && "ask" in typed) return { ask: typed.ask, field: "quantity" };
  const price =
    work.price === undefined
      ? { value: (line ? line.price_per_unit : article.unit_price) ?? "" }
      : readDecimal(work.price, locale);
  if ("ask" in price) return { ask: price.ask, field: "price" };
  const quantity = typed ? typed.value : (line?.quantity_ordered ?? "");
  if (isDecimal(quantity) && compare(quantity, "0") < 0)
    return { ask: "Order more than zero, or leave it empty.", field: "quantity" };
  const none = quantity === "" || compare(quantity, "0") === 0;
  const rounded = typed && !work.exact ? better(quantity, article) : undefined;
  return { quantity: none ? "" : (rounded ?? quantity), price: price.value };
}

/** Whether two decimals are the same number, or both absent. */
export function sameNumber(a: string | undefined, b: string | undefined): boolean {
  if (!a || !b || !isDecimal(a) || !isDecimal(b)) return (a ?? "") === (b ?? "");
  return compare(a, b) === 0;
}

/** The fields of a line that differ from what is wanted. */
export function changesOf(
  line: Line,
  wanted: Wanted,
  expected: string | undefined,
  currency: string,
): LineFields {
  return {
    ...(!sameNumber(line.quantity_ordered, wanted.quantity) && { quantity_ordered: wanted.quantity }),
    ...(!sameNumber(line.price_per_unit, wanted.price) && {
      price_per_unit: wanted.price,
      ...(wanted.price && !line.currency && { currency }),
    }),
    ...(expected !== undefined &&
      expected !== (line.expected_arrival_date ?? "") && { expected_arrival_date: expected }),
  };
}

/** The key of the need that a new line for the article answers; undefined: none, or another line does. */
export function keyOf({ recommendation: row }: OrderableArticle, work: RowWork): string | undefined {
  return row && row.action !== "none" && !row.lock && !work.keyless ? row.recommendation_key : undefined;
}

/**
 * Whether what is on its way needs no question: the suggestion has counted it, no more than the
 * suggestion is ordered, and nothing is drafted elsewhere.
 */
export function isCounted(article: OrderableArticle, work: RowWork, quantity: string): boolean {
  const row = article.recommendation;
  return (
    row !== undefined &&
    keyOf(article, work) !== undefined &&
    Number(quantity) <= row.suggested_quantity &&
    article.on_its_way.every(({ status }) => status === "ordered" || status === "partially_received")
  );
}
