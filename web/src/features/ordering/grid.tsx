import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { ListChecks } from "lucide-react";
import { type ClipboardEvent, useEffect, useId, useState } from "react";
import type { Line, OrderableArticle, OrderSupplierTerms } from "@/api/types.gen";
import { useActionDialog } from "@/features/purchasing/actions";
import { addTotals, linesFor, lineTotal } from "@/features/purchasing/model";
import { usePlace } from "@/lib/session";
import { useShortcuts } from "@/lib/shortcuts";
import { otherLines, takeSuggestions } from "@/messages/ordering";
import { Button } from "@/ui/button";
import { type Column, DataList } from "@/ui/data-list";
import { SearchField } from "@/ui/filter";
import { Input } from "@/ui/input";
import { ArticleName, Available, Cover, Incoming, isDraft } from "./article";
import { Cost, costOf, focusFirstCell, RowNote, SheetCell, Suggestion, suggestionOf } from "./cells";
import { Foot } from "./foot";
import type { OrderDraft } from "./order-draft";
import { type Left, matchSheet, readSheet } from "./paste";
import { PasteNote } from "./paste-note";
import { findArticles, useArticles } from "./queries";
import type { NewOrderSearch } from "./search";
import { useOrderDraft } from "./use-order-draft";

interface GridProps {
  supplier: OrderSupplierTerms;
  /** The draft to go on with, and all of its lines. */
  order: string | undefined;
  lines: readonly Line[];
  search: NewOrderSearch;
  look: (next: NewOrderSearch) => void;
}

/** The articles of a supplier as a sheet: what is typed becomes a draft order. */
export function Grid({ supplier, order, lines, search, look }: GridProps) {
  const { can } = usePlace();
  const { text, pages } = search;
  const { draft, state } = useOrderDraft(supplier, order, lines);
  const list = useArticles({ supplier: supplier.id, text, pages }, (more) =>
    look({ ...search, pages: more }),
  );
  const sheet = useSheet(supplier.id, draft, list.rows);
  const writes = can("draft_lines");
  const takeAll = () => {
    for (const article of sheet.due) draft.set(article.product_id, { quantity: sheet.suggestion(article) });
  };
  const others = lines.filter(
    (line) => line.status !== "cancelled" && !(line.product_id && draft.article(line.product_id)),
  );
  const rows = text ? list.rows : list.rows && [...sheet.extra, ...list.rows];
  const { submit, dialog } = useSubmit(draft, [...state.lines.values(), ...others]);
  useEffect(() => {
    if (state.order && search.order !== state.order)
      look({ ...search, supplier: supplier.id, order: state.order });
  });
  const ready = list.rows !== undefined;
  useEffect(() => {
    if (ready && matchMedia("(pointer: fine)").matches) focusFirstCell();
  }, [ready]);
  useShortcuts(writes ? sheetKeys(submit) : []);
  return (
    <div onPaste={writes ? sheet.onPaste : undefined}>
      <div className="mb-3 flex flex-wrap items-end gap-3">
        <div className="min-w-40 flex-1 md:max-w-72">
          <SearchField
            label="Search articles"
            placeholder="Name, SKU or supplier’s SKU"
            text={text}
            onSearch={(next) => look({ ...search, text: next, pages: undefined })}
          />
        </div>
        {writes && sheet.due.length > 0 && <TakeAll count={sheet.due.length} takeAll={takeAll} />}
        {writes && <Expected draft={draft} />}
      </div>
      <PasteNote pasted={sheet.pasted} onClose={sheet.forget} />
      <DataList<OrderableArticle>
        caption={`Articles of ${supplier.name}`}
        noun="article"
        list={{ ...list, rows: rows?.map((row) => draft.article(row.product_id) ?? row) }}
        idOf={({ product_id }) => product_id}
        nameOf={({ name }) => name}
        rowClass={({ product_id }) => (state.lines.has(product_id) ? "bg-accent-soft/40" : undefined)}
        columns={columns({ draft, writes, takeAll })}
        card={(article) => <ArticleCard article={article} draft={draft} writes={writes} takeAll={takeAll} />}
        empty={
          <p className="px-6 py-10 text-center text-muted">
            {text ? "No article of this supplier matches." : "No article names this supplier."}
          </p>
        }
      />
      <Others order={state.order} count={others.length} />
      {writes && (
        <Foot
          supplier={supplier}
          draft={draft}
          sums={addTotals([...sheet.costs, ...others.flatMap(totalOf)])}
          submit={state.lines.size > 0 ? submit : undefined}
        />
      )}
      {dialog}
    </div>
  );
}

const totalOf = (line: Line) => {
  const amount = lineTotal(line);
  return amount === undefined ? [] : [{ amount, currency: line.currency ?? "" }];
};

const group = "New order";
const sheetKeys = (submit: () => void) => [
  { keys: "mod+enter", label: "Submit for approval", group, run: submit },
  { keys: "s", label: "Use the suggestion of the row", group },
  { keys: "Shift+S", label: "Use all suggestions", group },
  { keys: "u", label: "Keep the quantity as typed", group },
  { keys: "y", label: "Order more, although it is on its way", group },
  { keys: "Enter", label: "Next row; with Shift the one before", group },
  { keys: "Tab", label: "Next cell; with Shift the one before", group },
];

/** What the sheet knows beyond the loaded list: rows of the draft, pasted rows, and their sums. */
function useSheet(supplier: string, draft: OrderDraft, listed: readonly OrderableArticle[] | undefined) {
  const { workspace } = usePlace();
  const { locale } = workspace;
  const [pasted, setPasted] = useState<{ filled: number; left: Left[] }>();
  useEffect(() => {
    if (listed) draft.know(listed);
  }, [draft, listed]);
  const missing = listed ? draft.products.filter((product) => !draft.article(product)) : [];
  const { data: found } = useQuery({
    queryKey: ["order-grid", workspace.id, supplier, missing],
    queryFn: async () => {
      const articles = await findArticles(workspace.id, supplier, missing);
      draft.know(articles);
      return articles.length;
    },
    enabled: missing.length > 0,
  });
  const shown = new Set(listed?.map(({ product_id }) => product_id));
  const mine = draft.products.flatMap((product) => draft.article(product) ?? []);
  // The queue follows a line that was just drafted elsewhere only after seconds.
  const due = (listed ?? []).filter(
    ({ product_id, recommendation, on_its_way }) =>
      !on_its_way.some(isDraft) &&
      recommendation?.group === "order" &&
      recommendation.suggested_quantity > 0 &&
      !draft.state.lines.has(product_id) &&
      !draft.isDirty(product_id),
  );
  async function paste(text: string) {
    const rows = readSheet(text) ?? [];
    const codes = [...new Set(rows.map(({ code }) => code).filter(Boolean))];
    const articles = await findArticles(workspace.id, supplier, codes);
    draft.know(articles);
    const { taken, left } = matchSheet(rows, articles, locale);
    for (const { article, row } of taken)
      draft.set(article.product_id, { quantity: row.quantity, ...(row.price && { price: row.price }) });
    setPasted({ filled: taken.length, left });
  }
  return {
    found,
    due,
    pasted,
    forget: () => setPasted(undefined),
    extra: mine.filter(({ product_id }) => !shown.has(product_id)),
    costs: mine.flatMap((article) => costOf(article, draft) ?? []),
    suggestion: (article: OrderableArticle) => suggestionOf(article, locale),
    onPaste: (event: ClipboardEvent) => {
      const text = event.clipboardData.getData("text/plain");
      if (!readSheet(text)) return;
      event.preventDefault();
      void paste(text).catch((cause: unknown) =>
        setPasted({ filled: 0, left: [{ row: "The sheet", why: String(cause) }] }),
      );
    },
  };
}

/** Submits the drafted lines, once all that was typed is saved. */
function useSubmit(draft: OrderDraft, lines: readonly Line[]) {
  const { workspace } = usePlace();
  const go = useNavigate();
  const { order } = draft.state;
  const { open, dialog } = useActionDialog(lines, () => {
    if (order)
      void go({ to: "/w/$workspace/purchase-orders/$order", params: { workspace: workspace.id, order } });
  });
  const submit = async () => {
    await draft.flush();
    const ready = linesFor(lines.some((line) => line.product_id) ? linesNow(draft, lines) : lines, "submit");
    if (!draft.dirty && ready.length > 0) open("submit", ready);
  };
  return { submit: () => void submit(), dialog };
}

/** The lines as they are stored now: a save may have changed them since they were shown. */
function linesNow(draft: OrderDraft, lines: readonly Line[]): Line[] {
  const now = [...draft.state.lines.values()];
  const known = new Set(now.map(({ id }) => id));
  return [
    ...now,
    ...lines.filter(({ id, product_id }) => !known.has(id) && !draft.article(product_id ?? "")),
  ];
}

interface ColumnProps {
  draft: OrderDraft;
  writes: boolean;
  takeAll: () => void;
}

function columns({ draft, writes, takeAll }: ColumnProps): Column<OrderableArticle>[] {
  const order = draft.state.order;
  // Not for the headers.
  const top = "[td&]:py-1 [td&]:align-top";
  const figure = "[td&]:py-2 [td&]:align-top";
  return [
    {
      id: "article",
      head: "Article",
      className: `w-full max-w-0 ${top}`,
      cell: (article) => <ArticleName article={article} order={order} />,
    },
    {
      id: "available",
      head: "Available",
      num: true,
      className: figure,
      cell: (article) => <Available article={article} />,
    },
    {
      id: "incoming",
      head: "Incoming",
      num: true,
      className: figure,
      cell: (article) => <Incoming article={article} />,
    },
    {
      id: "cover",
      head: "Cover",
      num: true,
      className: figure,
      cell: (article) => <Cover article={article} />,
    },
    {
      id: "suggested",
      head: "Suggested",
      num: true,
      className: top,
      cell: (article) => <Suggestion article={article} draft={draft} />,
    },
    ...(writes
      ? [
          {
            id: "quantity",
            head: "Quantity",
            num: true,
            className: top,
            cell: (article: OrderableArticle) => (
              <span className="flex flex-col items-end gap-0.5">
                <SheetCell article={article} draft={draft} field="quantity" takeAll={takeAll} />
                <span className="block w-44 whitespace-normal empty:hidden">
                  <RowNote article={article} draft={draft} />
                </span>
              </span>
            ),
          },
          {
            id: "price",
            head: "Price",
            num: true,
            className: top,
            cell: (article: OrderableArticle) => (
              <span className="flex flex-col items-end">
                <SheetCell article={article} draft={draft} field="price" takeAll={takeAll} />
              </span>
            ),
          },
          {
            id: "total",
            head: "Total",
            num: true,
            className: `min-w-24 ${figure}`,
            cell: (article: OrderableArticle) => <Cost article={article} draft={draft} />,
          },
        ]
      : []),
  ];
}

/** An article on a phone: the figures in one line, and the quantity under the thumb. */
function ArticleCard({ article, draft, writes, takeAll }: ColumnProps & { article: OrderableArticle }) {
  return (
    <div className="flex flex-col gap-2">
      <ArticleName article={article} order={draft.state.order} />
      <div className="flex flex-wrap gap-x-6 gap-y-1 text-xs">
        <Figure name="Available">
          <Available article={article} />
        </Figure>
        <Figure name="Incoming">
          <Incoming article={article} />
        </Figure>
        <Figure name="Cover">
          <Cover article={article} />
        </Figure>
      </div>
      {writes && (
        <>
          <div className="flex items-end justify-end gap-2">
            <span className="mr-auto pb-3 text-sm">
              <Cost article={article} draft={draft} />
            </span>
            <Suggestion article={article} draft={draft} />
            <Figure name="Price">
              <SheetCell article={article} draft={draft} field="price" takeAll={takeAll} />
            </Figure>
            <Figure name="Quantity">
              <SheetCell article={article} draft={draft} field="quantity" takeAll={takeAll} />
            </Figure>
          </div>
          <RowNote article={article} draft={draft} />
        </>
      )}
    </div>
  );
}

function Figure({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <span className="flex flex-col">
      <span className="text-muted text-xs">{name}</span>
      <span className="flex flex-col items-start">{children}</span>
    </span>
  );
}

function TakeAll({ count, takeAll }: { count: number; takeAll: () => void }) {
  const { workspace } = usePlace();
  return (
    <Button icon={<ListChecks aria-hidden />} className="max-md:h-11" onClick={takeAll}>
      {takeSuggestions({ count }, workspace.locale)}
    </Button>
  );
}

/** The day on which the order is expected: today and the lead time, until somebody changes it. */
function Expected({ draft }: { draft: OrderDraft }) {
  const id = useId();
  return (
    <span className="flex items-center gap-2 md:ml-auto">
      <label htmlFor={id} className="text-muted text-sm">
        Expected on
      </label>
      <Input
        id={id}
        type="date"
        value={draft.state.expected}
        onChange={(event) => draft.expect(event.currentTarget.value)}
        className="w-40!"
      />
    </span>
  );
}

function Others({ order, count }: { order: string | undefined; count: number }) {
  const { workspace } = usePlace();
  if (!order || count === 0) return null;
  return (
    <p className="mt-2 text-muted text-sm">
      {otherLines({ count }, workspace.locale)}.{" "}
      <Link
        to="/w/$workspace/purchase-orders/$order"
        params={{ workspace: workspace.id, order }}
        className="rounded-sm text-accent-ink hover:underline"
      >
        Open the order
      </Link>
    </p>
  );
}
