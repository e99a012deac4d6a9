import { Link } from "@tanstack/react-router";
import { listRows } from "@/api/sdk.gen";
import type { Row } from "@/api/types.gen";
import { usePagedRows } from "@/lib/list-rows";
import type { FileColumn } from "@/lib/save-rows";
import { usePlace } from "@/lib/session";
import { type Column, DataList } from "@/ui/data-list";
import { SearchField } from "@/ui/filter";
import { Num } from "@/ui/num";
import { DemandOfArticle } from "./demand-article";
import { rowsOf } from "./links";
import { textOf } from "./model";
import { DataAsOf, Insight, linkClass, To } from "./parts";
import { seldomMs, useInsights, useRows } from "./queries";

/** What articles are expected to sell: a list, and the charts of one. */
export function Demand() {
  const { workspace } = usePlace();
  const [{ product, text }, change] = useInsights();
  const any = useRows(
    "product_demand",
    { limit: 1, select_fields: ["product_id"], sort_by: "forecast_30", sort_desc: true },
    seldomMs,
  );
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <span className="w-72 max-w-full">
          <SearchField
            label="Search articles"
            placeholder="Name of an article"
            text={text}
            onSearch={(next) => change({ text: next })}
          />
        </span>
        <To to={rowsOf(workspace.id, "product_demand")}>See all columns</To>
      </div>
      <DataAsOf demand />
      <Insight
        of={any}
        empty={({ items }) => items.length === 0}
        missing="Demand is computed every night for all articles; there are none yet."
      >
        {({ items }) => (
          <>
            <DemandOfArticle product={product ?? items[0]?.id ?? ""} />
            <Articles text={text} shown={product ?? items[0]?.id} />
          </>
        )}
      </Insight>
    </div>
  );
}

function Articles({ text, shown }: { text: string | undefined; shown: string | undefined }) {
  const path = { workspace: usePlace().workspace.id, table: "product_demand" };
  const query = {
    ...(text && { filters: JSON.stringify({ name: { contains: text } }) }),
    sort_by: "forecast_30",
    sort_desc: true,
    limit: 25,
  };
  const list = usePagedRows<Row>({
    queryKey: ["insights-demand", path, query],
    read: async (cursor, signal) => {
      const asked = { ...query, ...(cursor && { cursor }) };
      return (await listRows({ path, query: asked, signal, throwOnError: true })).data;
    },
    idOf: ({ id }) => id,
    every: seldomMs,
  });
  return (
    <DataList
      title="Articles by expected demand"
      caption="Articles by expected demand"
      noun="article"
      list={list}
      idOf={({ id }) => id}
      nameOf={({ values }) => textOf(values.name)}
      open={shown}
      columns={columns}
      file={fileColumns}
      card={(row) => (
        <div className="flex flex-wrap items-center justify-between gap-x-4">
          <ArticleLink row={row} />
          <span className="text-muted">
            <Num value={textOf(row.values.forecast_30)} digits={1} /> in 30 days
          </span>
        </div>
      )}
      empty={<p className="px-4 py-8 text-center text-muted">No article's name has this text.</p>}
    />
  );
}

/** Shows the article's charts above the list. */
function ArticleLink({ row }: { row: Row }) {
  const { workspace } = usePlace();
  const [search] = useInsights();
  return (
    <Link
      to="/w/$workspace/insights"
      params={{ workspace: workspace.id }}
      search={{ ...search, product: row.id }}
      className={linkClass}
    >
      {textOf(row.values.name)}
    </Link>
  );
}

const estimate = (id: string, head: string, digits: number, className?: string): Column<Row> => ({
  id,
  head,
  num: true,
  ...(className && { className }),
  cell: ({ values }) => <Num value={values[id] === null ? null : textOf(values[id])} digits={digits} />,
});

const columns: Column<Row>[] = [
  { id: "name", head: "Article", cell: (row) => <ArticleLink row={row} /> },
  {
    id: "sku",
    head: "SKU",
    cell: ({ values }) => <code className="whitespace-nowrap font-mono text-xs">{textOf(values.sku)}</code>,
  },
  { id: "class", head: "Sells", cell: ({ values }) => textOf(values.demand_class) },
  estimate("demand_per_day", "Per day", 2),
  estimate("forecast_30", "30 days", 1),
  {
    id: "range",
    head: "8 of 10 cases",
    num: true,
    className: "whitespace-nowrap max-lg:hidden",
    cell: ({ values }) => (
      <>
        <Num value={textOf(values.low_30)} digits={1} /> – <Num value={textOf(values.high_30)} digits={1} />
      </>
    ),
  },
  estimate("units_28", "Sold, 28 days", 0, "max-lg:hidden"),
  {
    id: "empty",
    head: "Empty days, 12 weeks",
    num: true,
    className: "max-xl:hidden",
    cell: ({ values }) => <Num value={textOf(values.stockout_days_84)} />,
  },
  {
    id: "confidence",
    head: "Confidence",
    className: "max-lg:hidden",
    cell: ({ values }) => textOf(values.confidence),
  },
];

const fileColumns: FileColumn<Row>[] = [
  ["Article", "name"],
  ["SKU", "sku"],
  ["Class", "demand_class"],
  ["Per day", "demand_per_day"],
  ["30 days", "forecast_30"],
  ["30 days, low", "low_30"],
  ["30 days, high", "high_30"],
  ["90 days", "forecast_90"],
  ["Sold in 28 days", "units_28"],
  ["Days without stock in 12 weeks", "stockout_days_84"],
  ["Confidence", "confidence"],
].map(([name = "", field = ""]) => ({ name, value: ({ values }) => textOf(values[field]) }));
