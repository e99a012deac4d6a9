import { useQuery } from "@tanstack/react-query";
import { getRowOptions } from "@/api/@tanstack/react-query.gen";
import type { Row } from "@/api/types.gen";
import { useLocale } from "@/lib/locale";
import { usePlace } from "@/lib/session";
import { daysOut, onWay } from "@/messages/insights";
import { Card } from "@/ui/card";
import { LineChart } from "@/ui/chart/line-chart";
import { StockChart } from "@/ui/chart/stock-chart";
import { ErrorNote } from "@/ui/error-note";
import { SkeletonText } from "@/ui/skeleton";
import { articleOf, rowsOf } from "./links";
import { arrivalsOf, demandOf, forecastOf, numberOf, projected, textOf, weeksOf } from "./model";
import { To } from "./parts";
import { oftenMs, useRows } from "./queries";

/** An article's weeks with its forecast, and its projected stock. */
export function DemandOfArticle({ product }: { product: string }) {
  const { workspace } = usePlace();
  const { locale } = useLocale();
  const path = { workspace: workspace.id, table: "products", record: product };
  const demand = useRows("product_demand", { product, limit: 1 }, oftenMs);
  const weeks = useRows(
    "weekly_sales",
    { product, sort_by: "week_start", sort_desc: true, limit: 53 },
    oftenMs,
  );
  const article = useQuery({ ...getRowOptions({ path }), refetchInterval: oftenMs });
  const coming = useRows(
    "purchase_order_lines",
    {
      filters: JSON.stringify({ product_id: product, status: ["ordered", "partially_received"] }),
      select_fields: ["order_no", "quantity_ordered", "quantity_received", "expected_arrival_date"],
      limit: 200,
    },
    oftenMs,
  );
  const failed = [demand, weeks, article, coming].find(({ error, data }) => error && !data);
  if (failed) return <ErrorNote error={failed.error} retry={failed.refetch} />;
  if (!demand.data || !weeks.data || !article.data || !coming.data)
    return <SkeletonText lines={12} label="Loading the article" />;
  const row = demand.data.items[0];
  if (!row) return <Card>This article has no forecast. Forecasts are computed every night.</Card>;
  const today = weeks.data.as_of ?? demand.data.as_of ?? "";
  const { days, series, band, marks } = demandOf(weeksOf(weeks.data.items), forecastOf(row), today, (count) =>
    daysOut({ count }, locale),
  );
  const name = textOf(row.values.sku) || textOf(row.values.name);
  return (
    <Card
      title={<To to={articleOf(workspace.id, product)}>{textOf(row.values.name)}</To>}
      description={<Facts row={row} />}
    >
      <div className="grid gap-6">
        <LineChart
          title={`Demand of ${name} by week`}
          across={{ label: "Week of", days }}
          series={series}
          band={band}
          marks={marks}
          values={{ unit: "pcs", estimate: true }}
          leads={{
            label: "This week's figures",
            to: (week) =>
              week < today
                ? rowsOf(workspace.id, "weekly_sales", { product, filters: { week_start: { eq: week } } })
                : undefined,
          }}
        />
        <Stock name={name} row={row} article={article.data} coming={coming.data.items} today={today} />
      </div>
    </Card>
  );
}

function Facts({ row: { values } }: { row: Row }) {
  const flags = textOf(values.flags).split(", ");
  return [
    [values.sku, values.family, values.demand_class].map(textOf).filter(Boolean).join(" · "),
    `confidence ${textOf(values.confidence)}`,
    ...(flags.includes("unknown_stock") ? ["days without a report of stock count as in stock"] : []),
  ].join(" · ");
}

interface StockProps {
  name: string;
  row: Row;
  article: Row;
  coming: readonly Row[];
  today: string;
}

function Stock({ name, row, article, coming, today }: StockProps) {
  const { locale } = useLocale();
  const available = numberOf(article.values.stock_available) ?? numberOf(article.values.stock_on_hand);
  if (available === null)
    return <p className="text-muted">No stock is reported for this article, so none can be projected.</p>;
  const arrivals = arrivalsOf(coming, today);
  const undated = coming.filter(({ values }) => !values.expected_arrival_date).length;
  return (
    <div>
      <StockChart
        title={`Projected stock of ${name}`}
        {...projected(available, forecastOf(row), arrivals, today)}
        arrivals={arrivals}
        unit="pcs"
      />
      {undated > 0 && <p className="mt-1 text-muted text-xs">{onWay({ count: undated }, locale)}</p>}
    </div>
  );
}
