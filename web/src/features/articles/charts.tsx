import type { ArticlePage, Row } from "@/api/types.gen";
import { Part } from "@/features/subject/part";
import { formatNumber } from "@/lib/format";
import { type Locale, useLocale } from "@/lib/locale";
import { usePlace } from "@/lib/session";
import { formatDay, shiftDay } from "@/lib/time";
import { emptyDays } from "@/messages/articles";
import { LineChart, type LineChartProps, type Mark, type Target } from "@/ui/chart";
import { useWeeks } from "./queries";

// In weeks.
const year = 52;
const halfYear = 26;

/** Weekly sales with the forecast, and the stock with arrivals. */
export function Charts({ article }: { article: ArticlePage }) {
  const { workspace } = usePlace();
  const locale = useLocale();
  const weeks = useWeeks(article.id);
  return (
    <div className="grid items-start gap-4 xl:grid-cols-2">
      <Part
        title="Sales and forecast"
        of={weeks}
        empty={({ items }) => items.length === 0 && !article.demand && "Nothing was sold yet."}
      >
        {({ items }) => <LineChart {...salesChart(workspace.id, article, items, locale)} />}
      </Part>
      <Part
        title="Stock and arrivals"
        of={{ data: article, error: null, refetch: () => {} }}
        empty={({ stock_weeks, projection }) =>
          stock_weeks.length + projection.length === 0 && "No stock was reported."
        }
      >
        {() => <LineChart {...stockChart(article, locale)} />}
      </Part>
    </div>
  );
}

/** Complete weeks only: the running one would look like a fall. */
function salesChart(workspace: string, article: ArticlePage, items: Row[], locale: Locale): LineChartProps {
  const past = items
    .filter(({ values }) => values.is_complete === true || values.is_complete === "true")
    .slice(0, year)
    .reverse();
  const next = article.demand?.weeks ?? [];
  const before = past.map(() => null);
  const after = next.map(() => null);
  const days = [...past.map(({ values }) => String(values.week_start)), ...next.map(({ week }) => week)];
  const empty = past.flatMap(({ values }, at): Mark[] => {
    const count = 7 - Number(values.in_stock_days ?? 7);
    // In the first week, the days before the first sale are not days without stock.
    return count >= 4 && at > 0
      ? [
          {
            at: String(values.week_start),
            kind: "out",
            label: emptyDays({ count }, locale.locale),
          },
        ]
      : [];
  });
  return {
    title: "Units sold by week",
    across: { label: "Week of", days },
    series: [
      { label: "Sold", values: [...past.map(({ values }) => Number(values.units_net)), ...after] },
      ...(next.length > 0
        ? [{ label: "Forecast", values: [...before, ...next.map(({ units }) => tenths(units))] }]
        : []),
    ],
    band:
      next.length > 0
        ? {
            label: "80 % interval",
            low: [...before, ...next.map(({ low }) => tenths(low))],
            high: [...before, ...next.map(({ high }) => tenths(high))],
          }
        : undefined,
    marks: [...empty, ...arrivalMarks(article, locale)],
    leads: {
      label: "This week's figures",
      to: (week) => (week < article.today ? weekOf(workspace, article.id, week) : undefined),
    },
  };
}

function weekOf(workspace: string, product: string, week: string): Target {
  return {
    to: "/w/$workspace/tables/$slug",
    params: { workspace, slug: "weekly_sales" },
    search: { product, filters: { week_start: { eq: week } } },
  };
}

/** The counted stock at the end of past weeks, then the projected stock of every day. */
function stockChart(article: ArticlePage, locale: Locale): LineChartProps {
  const past = article.stock_weeks.slice(-halfYear);
  const next = article.projection;
  const out: Mark[] =
    article.runs_out_on && next.length > 0
      ? [{ at: article.runs_out_on, kind: "out", label: "Runs out" }]
      : [];
  const summary = article.runs_out_on
    ? article.runs_out_on <= article.today
      ? "Out of stock."
      : `Runs out on ${formatDay(article.runs_out_on, locale.locale)}${article.incoming.arrivals.length > 0 ? ", with what is on its way" : ""}.`
    : next.length > 0
      ? "Does not run out within 400 days."
      : "Without a forecast, the stock is not projected.";
  return {
    title: "Stock",
    summary,
    across: {
      label: "Day",
      days: [...past.map(({ day }) => shiftDay(day, 6)), ...next.map(({ day }) => day)],
    },
    series: [
      { label: "Counted", values: [...past.map(({ left }) => left), ...next.map(() => null)] },
      { label: "Projected", values: [...past.map(() => null), ...next.map(({ left }) => tenths(left))] },
    ],
    marks: [...arrivalMarks(article, locale), ...out],
    rule:
      article.reorder_point === undefined
        ? undefined
        : { label: "Reorder point", value: Number(article.reorder_point) },
  };
}

function arrivalMarks({ incoming }: ArticlePage, { locale }: Locale): Mark[] {
  return incoming.arrivals.flatMap(({ day, quantity, order_no }): Mark[] =>
    day ? [{ at: day, kind: "arrival", label: `${formatNumber(quantity, locale)} on ${order_no}` }] : [],
  );
}

const tenths = (value: number) => Math.round(value * 10) / 10;
