import { useLocale } from "@/lib/locale";
import { usePlace } from "@/lib/session";
import { shiftDay } from "@/lib/time";
import { Card } from "@/ui/card";
import { LineChart } from "@/ui/chart/line-chart";
import { ArticleField } from "./article-field";
import { articleOf, rowsOf } from "./links";
import { againstLastYear, weeksOf } from "./model";
import { AsOfField, DataAsOf, Insight, To } from "./parts";
import { oftenMs, useInsights, useRows } from "./queries";

/** Two years of weeks, and the running one. */
const weeksRead = 106;

/** Sales by week against a year ago, of everything or of one article. */
export function Sales() {
  const { workspace } = usePlace();
  const { currency } = useLocale();
  const [{ product, as_of }, change] = useInsights();
  const given = { ...(as_of && { as_of }), ...(product && { product }) };
  const query = useRows(
    "weekly_sales",
    { ...given, sort_by: "week_start", sort_desc: true, limit: weeksRead },
    oftenMs,
  );
  const { data } = query;
  const label = product ? data?.links.product_id?.[product] : undefined;
  const article = label && [label.code, label.label].filter(Boolean).join(" · ");
  const of = article ? ` of ${article}` : "";
  // An order has several articles, so one article's week leads to its figures.
  const leads = product
    ? {
        label: "This week's figures",
        to: (week: string) =>
          rowsOf(workspace.id, "weekly_sales", { ...given, filters: { week_start: { eq: week } } }),
      }
    : {
        label: "Orders of this week",
        to: (week: string) =>
          rowsOf(workspace.id, "orders", { filters: { ordered_at: { gte: week, lt: shiftDay(week, 7) } } }),
      };
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <ArticleField
          key={product}
          chosen={product && (article ?? "One article")}
          onChoose={(next) => change({ product: next })}
        />
        <AsOfField shown={data?.as_of} />
        {product && <To to={articleOf(workspace.id, product)}>See the article</To>}
        <To to={rowsOf(workspace.id, "weekly_sales", given)}>See all weeks</To>
      </div>
      <DataAsOf />
      <Insight
        of={query}
        empty={({ items }) => items.length === 0}
        missing={
          product
            ? "This article was not sold until this day; its weeks begin with its first sale."
            : "Nothing was sold until this day; weeks appear with the first order and its lines."
        }
      >
        {({ items }) => {
          const { days, sales, units, marks } = againstLastYear(weeksOf(items));
          const common = { across: { label: "Week of", days }, marks, leads };
          return (
            <div className="grid gap-4">
              <Card>
                <LineChart
                  {...common}
                  title={`Net sales by week${of}`}
                  series={sales}
                  values={{ currency }}
                />
              </Card>
              <Card>
                <LineChart {...common} title={`Units by week${of}`} series={units} values={{ unit: "pcs" }} />
              </Card>
            </div>
          );
        }}
      </Insight>
    </div>
  );
}
