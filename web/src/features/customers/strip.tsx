import type { CustomerPage } from "@/api/types.gen";
import { Figure, Figures } from "@/features/subject/figures";
import { formatNumber } from "@/lib/format";
import { useLocale } from "@/lib/locale";
import { formatDay } from "@/lib/time";
import { everyDays, returnedOf } from "@/messages/customers";
import { daysAhead, daysLate } from "@/messages/insights";
import { Badge } from "@/ui/badge";
import { Money, Num } from "@/ui/num";
import { statusNames, tones } from "./words";

/** What the customer was worth so far, and when they are expected again. */
export function Strip({ customer }: { customer: CustomerPage }) {
  const { locale } = useLocale();
  const { due, usual, currency } = customer;
  const money = (amount: string | undefined) =>
    amount === undefined ? (
      <Num value={undefined} />
    ) : (
      <Money amount={amount} {...(currency && { currency })} />
    );
  const day = (text: string | undefined) =>
    text ? <time dateTime={text}>{formatDay(text, locale)}</time> : <Num value={undefined} />;
  return (
    <Figures>
      <Figure label="Lifetime value" note="without what was returned">
        {money(due?.lifetime_value)}
      </Figure>
      <Figure label="Orders" note={due && <>first on {day(due.first_order_date)}</>}>
        <Num value={due?.orders ?? 0} />
      </Figure>
      <Figure label="Last order">{day(due?.last_order_date)}</Figure>
      <Figure
        label="Usual gap"
        note={due?.median_gap_days ? "the median of the last ones" : "too few orders to say"}
      >
        {due?.median_gap_days ? (
          everyDays({ days: formatNumber(due.median_gap_days, locale) }, locale)
        ) : (
          <Num value={undefined} />
        )}
      </Figure>
      <Expected customer={customer} />
      <Figure
        label="Returned"
        note={
          usual.orders > 0 &&
          returnedOf({ units: formatNumber(usual.units, locale), orders: usual.orders }, locale)
        }
      >
        <Num value={usual.orders > 0 ? usual.returned : undefined} />
      </Figure>
    </Figures>
  );
}

/** When the next order is expected, and whether that has passed. */
function Expected({ customer: { due, currency } }: { customer: CustomerPage }) {
  const { locale } = useLocale();
  if (!due?.expected_next_date || !due.status)
    return (
      <Figure label="Next order" note="too few orders to say">
        <Num value={undefined} />
      </Figure>
    );
  const late = due.days_overdue ?? 0;
  const when = late > 0 ? daysLate({ count: late }, locale) : daysAhead({ count: -late }, locale);
  return (
    <Figure
      label="Next order"
      note={
        <>
          <Badge tone={tones[due.status]}>{statusNames[due.status]}</Badge> {late === 0 ? "today" : when}
          {due.expected_value && (
            <>
              , about <Money amount={due.expected_value} {...(currency && { currency })} />
            </>
          )}
        </>
      }
    >
      <time dateTime={due.expected_next_date}>{formatDay(due.expected_next_date, locale)}</time>
    </Figure>
  );
}
