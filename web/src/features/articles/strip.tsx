import type { ArticlePage } from "@/api/types.gen";
import { Figure, Figures } from "@/features/subject/figures";
import { who } from "@/features/subject/words";
import { formatNumber } from "@/lib/format";
import { useLocale } from "@/lib/locale";
import { formatDay } from "@/lib/time";
import { daysOf, overdueOf, receivedSince } from "@/messages/articles";
import { leftOut, undated } from "@/messages/common";
import { Money, Num } from "@/ui/num";
import { Time } from "@/ui/time";
import { leadSource } from "./words";

/** The figures on which a buyer decides. */
export function Strip({ article }: { article: ArticlePage }) {
  const { locale } = useLocale();
  const { stock, incoming, demand, margin, days_of_cover, runs_out_on, lead_time, today } = article;
  return (
    <Figures>
      <Figure label="Available" note={<StockOrigin stock={stock} />}>
        <Num value={stock.available} />
      </Figure>
      <Figure label="Committed" note={stock.on_hand && <>of {formatNumber(stock.on_hand, locale)} on hand</>}>
        <Num value={stock.committed} />
      </Figure>
      <Figure label="Incoming" note={<Incoming incoming={incoming} />}>
        <Num value={incoming.quantity} />
      </Figure>
      <Figure
        label="Days of cover"
        note={
          demand
            ? `sells ${formatNumber(rounded(demand.per_day), locale)} a day; ${demand.confidence} confidence`
            : "demand not computed yet"
        }
      >
        <Num value={days_of_cover === undefined ? undefined : Math.floor(days_of_cover)} />
      </Figure>
      <Figure
        label="Runs out on"
        warn={runs_out_on !== undefined && runs_out_on <= today}
        note={
          runs_out_on || !days_of_cover
            ? `lead time ${daysOf({ count: Math.ceil(lead_time.days) }, locale)}, ${leadSource(lead_time)}`
            : "not within 400 days"
        }
      >
        {runs_out_on ? (
          <time dateTime={runs_out_on}>
            {runs_out_on <= today ? "Out of stock" : formatDay(runs_out_on, locale)}
          </time>
        ) : (
          <Num value={undefined} />
        )}
      </Figure>
      <Figure
        label="Margin"
        note={
          margin ? (
            <>
              <Money amount={margin.amount} {...(margin.currency && { currency: margin.currency })} /> a unit
            </>
          ) : article.price && article.cost ? (
            "price and cost are in different currencies"
          ) : (
            "price or cost is unknown"
          )
        }
      >
        {margin ? <Num value={margin.percent / 100} percent /> : <Num value={undefined} />}
      </Figure>
    </Figures>
  );
}

const rounded = (rate: number) => Number(rate.toPrecision(2));

/** Who reported the stock and when, and what was received since. */
function StockOrigin({ stock }: Pick<ArticlePage, "stock">) {
  const { locale } = useLocale();
  if (stock.available === undefined) return "no stock was reported";
  if (!stock.counted_at) return "as reported";
  return (
    <>
      from {stock.by ? who(stock.by) : "an earlier report"}, <Time inline value={stock.counted_at} />
      {Number(stock.received_since) !== 0 &&
        `; ${receivedSince({ quantity: formatNumber(stock.received_since, locale) }, locale)}`}
    </>
  );
}

function Incoming({ incoming }: Pick<ArticlePage, "incoming">) {
  const { locale } = useLocale();
  const said = [
    incoming.next && `next on ${formatDay(incoming.next, locale)}`,
    Number(incoming.overdue) > 0 && overdueOf({ quantity: formatNumber(incoming.overdue, locale) }, locale),
    Number(incoming.drafted) > 0 && `${formatNumber(incoming.drafted, locale)} more in drafts`,
    incoming.left_out > 0 && leftOut({ count: incoming.left_out }, locale),
    incoming.implausible_dates > 0 && undated({ count: incoming.implausible_dates }, locale),
  ].filter(Boolean);
  return said.length > 0
    ? said.join("; ")
    : Number(incoming.quantity) > 0
      ? "no date given"
      : "nothing ordered";
}
