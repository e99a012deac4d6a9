import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Money as Sum, SupplierPage } from "@/api/types.gen";
import { Amount, Totals } from "@/features/purchasing/parts";
import { Figure, Figures } from "@/features/subject/figures";
import { formatNumber } from "@/lib/format";
import { useLocale } from "@/lib/locale";
import { usePlace } from "@/lib/session";
import { formatDay } from "@/lib/time";
import { daysOf } from "@/messages/articles";
import { leftOut } from "@/messages/common";
import {
  articlesOf,
  criticalOf,
  deliveriesOf,
  lateBy,
  linesDrafted,
  linesLate,
  linesOpen,
  ordersOf,
  unpricedLines,
} from "@/messages/suppliers";
import { Num } from "@/ui/num";

/** The figures on which a buyer decides, and the supplier's terms. */
export function Strip({ supplier }: { supplier: SupplierPage }) {
  const { locale } = useLocale();
  const { workspace } = usePlace();
  const { open, bought, to_order: order, currency } = supplier;
  const days = (value: string | undefined) =>
    value === undefined ? <Num value={undefined} /> : daysOf({ count: Number(value) }, locale);
  return (
    <Figures>
      <Figure
        label="Open orders"
        note={said([
          linesOpen({ count: open.lines }, locale),
          open.next && `next on ${formatDay(open.next, locale)}`,
          open.drafted > 0 && linesDrafted({ count: open.drafted }, locale),
          open.cut && "only the first 2,000 open lines are counted",
          open.left_out > 0 && leftOut({ count: open.left_out }, locale),
        ])}
      >
        {ordersOf({ count: open.orders }, locale)}
      </Figure>
      <Figure label="Still to come" note={open.value.length > 0 && "at the prices of the lines"}>
        <Sums sums={open.value} />
      </Figure>
      <Figure
        label="Late now"
        warn={open.late > 0}
        note={open.late > 0 ? `in ${ordersOf({ count: open.late_orders }, locale)}` : "nothing is overdue"}
      >
        {open.late > 0 ? linesLate({ count: open.late }, locale) : <Num value={0} />}
      </Figure>
      <Figure
        label="To order now"
        note={
          order ? (
            <>
              <Sums sums={order.cost} none="nothing" />
              {order.critical > 0 && ` ${criticalOf({ count: order.critical }, locale)}`}
              {order.left_out > 0 && `; ${leftOut({ count: order.left_out }, locale)}`}
            </>
          ) : (
            "not computed yet"
          )
        }
      >
        {order && order.articles > 0 ? (
          <Link
            to="/w/$workspace/to-order"
            params={{ workspace: workspace.id }}
            search={{ supplier: supplier.id }}
            className="rounded-sm text-accent-ink hover:underline"
          >
            {articlesOf({ count: order.articles }, locale)}
          </Link>
        ) : (
          <Num value={order ? 0 : undefined} />
        )}
      </Figure>
      <Figure
        label="Bought in 12 months"
        note={said([
          linesOpen({ count: bought.lines }, locale),
          bought.unpriced > 0 && unpricedLines({ count: bought.unpriced }, locale),
          bought.left_out > 0 && leftOut({ count: bought.left_out }, locale),
          bought.cut && "of the newest 20,000 lines only",
        ])}
      >
        <Sums sums={bought.amounts} />
      </Figure>
      <OnTime supplier={supplier} />
      <LeadTime supplier={supplier} />
      <Figure label="Minimum order value">
        <Amount amount={supplier.min_order_value} currency={currency} />
      </Figure>
      <Figure label="Free shipping from">
        <Amount amount={supplier.free_shipping_value} currency={currency} />
      </Figure>
      <Figure label="Payment terms">{days(supplier.payment_terms_days)}</Figure>
      <Figure label="Order cycle">{days(supplier.order_cycle_days)}</Figure>
      <Figure label="Currency">{currency || <Num value={undefined} />}</Figure>
    </Figures>
  );
}

const said = (parts: (string | false | undefined)[]) => parts.filter(Boolean).join("; ");

/** Amounts by currency, one below the other. */
function Sums({ sums, none }: { sums: readonly Sum[]; none?: ReactNode }) {
  if (sums.length === 0) return none ?? <Num value={undefined} />;
  return <Totals totals={sums} className="justify-start!" />;
}

function OnTime({ supplier: { punctuality } }: { supplier: SupplierPage }) {
  const { locale } = useLocale();
  if (!punctuality || punctuality.lines === 0)
    return (
      <Figure label="On time" note="no delivery with a promised day in the last year">
        <Num value={undefined} />
      </Figure>
    );
  const { lines, on_time, days_late } = punctuality;
  return (
    <Figure
      label="On time"
      note={said([
        `of ${deliveriesOf({ count: lines }, locale)} in the last year`,
        on_time < lines && lateBy({ days: formatNumber(Number(days_late.toFixed(1)), locale) }, locale),
      ])}
    >
      <Num value={on_time / lines} percent digits={0} />
    </Figure>
  );
}

/** What was learnt comes first: the queue plans with it. */
function LeadTime({
  supplier: { lead_time_days: told, learnt_lead_time: learnt },
}: {
  supplier: SupplierPage;
}) {
  const { locale } = useLocale();
  const days = (count: number) => daysOf({ count: Math.round(count) }, locale);
  const said = told === undefined ? "none is set" : `${days(Number(told))} set`;
  if (!learnt)
    return (
      <Figure label="Lead time" note={told === undefined ? said : "set; too few deliveries to learn from"}>
        {told === undefined ? <Num value={undefined} /> : days(Number(told))}
      </Figure>
    );
  return (
    <Figure
      label="Lead time"
      note={`median of ${deliveriesOf({ count: learnt.deliveries }, locale)}, give or take ${days(learnt.sigma)}; ${said}`}
    >
      {days(learnt.days)}
    </Figure>
  );
}
