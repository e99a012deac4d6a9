import { type KeyboardEvent, useState } from "react";
import type { OrderableArticle } from "@/api/types.gen";
import { lineTotal } from "@/features/purchasing/model";
import { Amount } from "@/features/purchasing/parts";
import { compare, isDecimal } from "@/lib/decimal";
import { writeDecimal } from "@/lib/decimal-text";
import { formatNumber } from "@/lib/format";
import { usePlace } from "@/lib/session";
import { Button } from "@/ui/button";
import { Input } from "@/ui/input";
import { elsewhere } from "./article";
import { isQuestion, type OrderDraft } from "./order-draft";

export interface CellProps {
  article: OrderableArticle;
  draft: OrderDraft;
}

/** The suggestion for an article, as a quantity to type; empty: none. */
export function suggestionOf({ recommendation: row }: OrderableArticle, locale: string): string {
  return row && row.suggested_quantity > 0 ? writeDecimal(String(row.suggested_quantity), locale) : "";
}

type Field = "quantity" | "price";

const cells = (field?: Field) =>
  [...document.querySelectorAll<HTMLInputElement>("input[data-cell]")].filter(
    (cell) => !field || cell.dataset.cell === field,
  );

/** Moves from a cell to another one, as in a sheet; reports whether there is one. */
function move(from: HTMLInputElement, by: number, field?: Field): boolean {
  const all = cells(field);
  const to = all[all.indexOf(from) + by];
  to?.focus();
  return to !== undefined;
}

export const focusFirstCell = () => cells("quantity")[0]?.focus();

interface SheetCellProps extends CellProps {
  field: Field;
  /** Uses the suggestions of all rows. */
  takeAll: () => void;
}

/** The id of the question about a row's number. */
const askOf = (product: string) => `ask-${product}`;

/** A cell of the sheet. What is typed stays in sight until the cell is left, whatever is saved meanwhile. */
export function SheetCell({ article, draft, field, takeAll }: SheetCellProps) {
  const { workspace } = usePlace();
  const { locale } = workspace;
  const [own, setOwn] = useState<string>();
  const { product_id: product } = article;
  const work = draft.state.work.get(product) ?? {};
  const line = draft.state.lines.get(product);
  const stored =
    field === "quantity" ? line?.quantity_ordered : line ? line.price_per_unit : article.unit_price;
  const shown = own ?? work[field] ?? writeDecimal(stored ?? "", locale);
  const wanted = draft.wanted(article);
  const ask = "ask" in wanted && wanted.field === field ? wanted.ask : undefined;

  function command(key: string): boolean {
    const suggestion = suggestionOf(article, locale);
    if (key === "S") takeAll();
    else if (key === "s" && suggestion) draft.set(product, { quantity: suggestion });
    else if (key === "u" && work.from) draft.unround(product, writeDecimal(work.from, locale));
    else if (key === "y" && isQuestion(work.failure)) draft.insist(product);
    else if (key === "Escape") draft.giveUp(product);
    else return false;
    setOwn(undefined);
    return true;
  }
  function onKeyDown(event: KeyboardEvent<HTMLInputElement>) {
    const { key, shiftKey, currentTarget: cell } = event;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    event.stopPropagation(); // the list has other keys
    const back = key === "ArrowUp" || (key === "Enter" && shiftKey);
    let done = false;
    if (back || key === "ArrowDown" || key === "Enter") done = move(cell, back ? -1 : 1, field) || true;
    else if (key === "Tab") done = move(cell, shiftKey ? -1 : 1);
    else if (/^[a-zA-Z]$/.test(key) || key === "Escape") {
      done = command(key) || field === "quantity";
      if (key === "s") move(cell, 1, field);
    }
    if (done) event.preventDefault();
  }
  return (
    <Input
      data-cell={field}
      aria-label={`${field === "quantity" ? "Quantity" : "Price"} of ${article.name} ${article.variant_name ?? ""}`.trim()}
      inputMode="decimal"
      autoComplete="off"
      maxLength={20}
      value={shown}
      aria-invalid={Boolean(ask)}
      aria-describedby={ask && askOf(product)}
      onChange={(event) => {
        setOwn(event.currentTarget.value);
        draft.type(product, { [field]: event.currentTarget.value });
      }}
      onFocus={(event) => event.currentTarget.select()}
      onBlur={() => {
        setOwn(undefined);
        draft.leave(product);
      }}
      onKeyDown={onKeyDown}
      className="h-7! w-20! text-right tabular-nums pointer-coarse:h-11!"
    />
  );
}

/** What the line costs. */
export function Cost({ article, draft }: CellProps) {
  const cost = costOf(article, draft);
  return <Amount amount={cost?.amount} currency={cost?.currency} />;
}

/** What a row adds to the order; undefined: nothing. */
export function costOf(article: OrderableArticle, draft: OrderDraft) {
  const wanted = draft.wanted(article);
  if ("ask" in wanted || !wanted.quantity) return undefined;
  const amount = lineTotal({ quantity_ordered: wanted.quantity, price_per_unit: wanted.price });
  const currency = draft.state.lines.get(article.product_id)?.currency ?? article.currency ?? "";
  return amount === undefined ? undefined : { amount, currency };
}

/** The suggestion, which one press takes. */
export function Suggestion({ article, draft }: CellProps) {
  const { workspace } = usePlace();
  const { locale } = workspace;
  const suggestion = suggestionOf(article, locale);
  if (!suggestion) return null;
  const { product_id: product } = article;
  const shown = formatNumber(String(article.recommendation?.suggested_quantity), locale);
  return (
    <Button
      size="sm"
      tabIndex={-1}
      className="tabular-nums pointer-coarse:h-11"
      aria-label={`Use ${shown} for ${article.name}`}
      onClick={() => draft.set(product, { quantity: suggestion })}
    >
      {shown}
    </Button>
  );
}

const noteClass = "flex flex-wrap items-center justify-end gap-x-2 gap-y-0.5 text-xs";
const pressClass = "rounded-sm text-accent-ink underline-offset-2 hover:underline pointer-coarse:py-2";

/** What became of a row's quantity: it was rounded, it is a question, or it was refused. */
export function RowNote({ article, draft }: CellProps) {
  const { workspace } = usePlace();
  const { locale } = workspace;
  const { product_id: product } = article;
  const { from, failure } = draft.state.work.get(product) ?? {};
  const wanted = draft.wanted(article);
  if ("ask" in wanted)
    return (
      <span id={askOf(product)} role="alert" className={noteClass}>
        <span className="text-bad-ink">{wanted.ask}</span>
      </span>
    );
  const { quantity } = wanted;
  if (failure) return <Refused article={article} draft={draft} />;
  if (!from || !isDecimal(quantity) || compare(quantity, from) === 0) return null;
  const number = (value: string) => formatNumber(value, locale);
  const rules = [
    ...(article.multiple ? [`cartons of ${number(article.multiple)}`] : []),
    ...(article.minimum ? [`at least ${number(article.minimum)}`] : []),
  ];
  return (
    <span role="status" className={noteClass}>
      <span className="text-muted">
        Rounded from {number(from)} to {number(quantity)}, {rules.join(", ")}.
      </span>
      <button
        type="button"
        tabIndex={-1}
        className={pressClass}
        onClick={() => draft.unround(product, writeDecimal(from, locale))}
      >
        Keep {number(from)}
      </button>
    </span>
  );
}

function Refused({ article, draft }: CellProps) {
  const { product_id: product } = article;
  const failure = draft.state.work.get(product)?.failure;
  const question = isQuestion(failure);
  const open = elsewhere({ article, order: draft.state.order });
  const now = draft.state.lines.get(product)?.quantity_ordered;
  return (
    <span role="alert" className={noteClass}>
      <span className={question ? "text-warn-ink" : "text-bad-ink"}>
        {question && open.length > 0 ? `${article.on_its_way_words}. Order more?` : failure?.message}
        {failure?.status === 412 && now && ` It is ${now} now.`}
      </span>
      <button type="button" className={pressClass} onClick={() => draft.insist(product)}>
        {question ? "Order more" : failure?.status === 412 ? "Save mine" : "Try again"}
      </button>
      <button type="button" className={pressClass} onClick={() => draft.giveUp(product)}>
        {question ? "Leave it out" : "Discard"}
      </button>
    </span>
  );
}
