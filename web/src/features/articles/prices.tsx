import type { ArticleActivity } from "@/api/types.gen";
import { Amount } from "@/features/purchasing/parts";
import { Part } from "@/features/subject/part";
import { useLocale } from "@/lib/locale";
import { dayIn, formatDay } from "@/lib/time";
import { LineChart } from "@/ui/chart";
import { type PriceHistory, priceHistory } from "./price-history";
import type { useActivity } from "./queries";

/** What was paid for the article, and the cost that was reported for it. */
export function Prices({ activity }: { activity: ReturnType<typeof useActivity> }) {
  return (
    <Part
      title="Price history"
      of={activity}
      empty={(data) => priceHistory(data, String).length === 0 && "No order of it has a price."}
    >
      {(data) => <Histories data={data} />}
    </Part>
  );
}

function Histories({ data }: { data: ArticleActivity }) {
  const { timeZone } = useLocale();
  const histories = priceHistory(data, (time) => dayIn(timeZone, new Date(time)));
  return (
    <div className="flex flex-col gap-4">
      {histories.map((history) => (
        <History key={history.currency} history={history} />
      ))}
    </div>
  );
}

function History({ history: { currency, days, series } }: { history: PriceHistory }) {
  const { locale } = useLocale();
  if (days.length === 1)
    return (
      <ul>
        {series.map(({ label, values }) => (
          <li key={label} className="flex gap-2">
            <span className="text-muted">
              {label}, {formatDay(days[0] ?? "", locale)}
            </span>
            <Amount amount={String(values[0])} currency={currency || undefined} />
          </li>
        ))}
      </ul>
    );
  return (
    <LineChart
      title={currency ? `Price of a unit in ${currency}` : "Price of a unit"}
      height={150}
      across={{ label: "Day", days }}
      series={series}
      zero={false}
      {...(currency && { values: { currency } })}
    />
  );
}
