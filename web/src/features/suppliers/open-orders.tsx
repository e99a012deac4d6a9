import type { OpenOrder, SupplierPage } from "@/api/types.gen";
import { Day, LineStatusBadge, Totals } from "@/features/purchasing/parts";
import { OrderLink } from "@/features/subject/links";
import { Part } from "@/features/subject/part";
import { useLocale } from "@/lib/locale";
import { linesDrafted, linesLate, linesOpen, moreLines } from "@/messages/suppliers";
import { Num } from "@/ui/num";
import { ArticleName } from "./article-name";

const few = 5;

/** What was not delivered yet, with the day of each line. */
export function OpenOrders({ supplier }: { supplier: SupplierPage }) {
  const { open } = supplier;
  const shown = open.list.length;
  return (
    <Part
      title="Open orders"
      of={{ data: open, error: null, refetch: () => {} }}
      flush
      empty={() => shown === 0 && "Nothing is on order."}
      {...(open.cut && { description: "Only the 2,000 lines that are expected first were looked at." })}
    >
      {() => (
        <ul className="divide-y divide-line">
          {open.list.map((order) => (
            <Order key={order.order_no} order={order} />
          ))}
        </ul>
      )}
    </Part>
  );
}

function Order({ order }: { order: OpenOrder }) {
  const { locale } = useLocale();
  const lines = order.list.slice(0, few);
  const more = order.lines + order.drafted - lines.length;
  return (
    <li className="px-4 py-2.5">
      <div className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5">
        <span className="font-medium">
          <OrderLink order={order.order_no} />
        </span>
        <span className="text-muted">
          {order.lines > 0
            ? linesOpen({ count: order.lines }, locale)
            : linesDrafted({ count: order.drafted }, locale)}
        </span>
        {order.late > 0 && (
          <span className="font-medium text-bad-ink">{linesLate({ count: order.late }, locale)}</span>
        )}
        {order.value.length > 0 && <Totals totals={order.value} className="ml-auto" />}
      </div>
      <ul className="mt-1">
        {lines.map((line) => (
          <li key={line.id} className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5 py-0.5">
            <Num value={line.quantity} className="min-w-10 text-right" />
            <span className="min-w-0 flex-1 basis-40 break-words">
              <ArticleName of={line} />
            </span>
            {line.status !== "ordered" && <LineStatusBadge status={line.status} />}
            {line.expected_arrival_date ? (
              <Day day={line.expected_arrival_date} late={line.late} />
            ) : (
              <span className="text-muted">no date</span>
            )}
          </li>
        ))}
      </ul>
      {more > 0 && <p className="text-muted text-xs">{moreLines({ count: more }, locale)}</p>}
    </li>
  );
}
