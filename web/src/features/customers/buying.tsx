import { Link } from "@tanstack/react-router";
import type { CustomerOrder, CustomerPage } from "@/api/types.gen";
import { LeftOut } from "@/features/purchasing/left-out";
import { ArticleLink } from "@/features/subject/links";
import { Part } from "@/features/subject/part";
import { formatNumber } from "@/lib/format";
import { useLocale } from "@/lib/locale";
import { usePlace } from "@/lib/session";
import { formatDay } from "@/lib/time";
import { ofLast, unconvertedOrders } from "@/messages/customers";
import { BarChart } from "@/ui/chart/bar-chart";
import { type Column, DataList } from "@/ui/data-list";
import { Money, Num } from "@/ui/num";
import { Table, Td, Th, Tr } from "@/ui/table";
import { Time } from "@/ui/time";
import { useOrders } from "./queries";
import { stateOf } from "./words";

const here = (data: CustomerPage) => ({ data, error: null, refetch: () => {} });

/** What was sold by month. */
export function Months({ customer }: { customer: CustomerPage }) {
  const { locale } = useLocale();
  const { months, currency } = customer;
  const unconverted = months.reduce((sum, month) => sum + month.unconverted, 0);
  return (
    <Part
      title="Sales by month"
      of={here(customer)}
      empty={() => months.length === 0 && "Nothing was ordered in the last 24 months."}
      {...(unconverted + customer.left_out > 0 && {
        description: (
          <>
            {unconverted > 0 && unconvertedOrders({ count: unconverted }, locale)}{" "}
            <LeftOut count={customer.left_out} />
          </>
        ),
      })}
    >
      {() => (
        <BarChart
          title="Sales by month"
          height={180}
          across={{ label: "Month from", days: months.map(({ month }) => month) }}
          series={[{ label: "Sales", values: months.map(({ net }) => Number(net)) }]}
          {...(currency && { values: { currency } })}
        />
      )}
    </Part>
  );
}

/** The articles that the customer orders most often. */
export function Usual({ customer }: { customer: CustomerPage }) {
  const { locale } = useLocale();
  const { usual } = customer;
  return (
    <Part
      title="What they usually buy"
      {...(usual.orders > 0 && { description: ofLast({ count: usual.orders }, locale) })}
      of={here(customer)}
      flush
      empty={() => usual.articles.length === 0 && "No order has an article that is known here."}
    >
      {() => (
        <Table caption="Usual articles">
          <thead>
            <tr>
              <Th>Article</Th>
              <Th num>Orders</Th>
              <Th num>Units</Th>
              <Th>Last</Th>
            </tr>
          </thead>
          <tbody>
            {usual.articles.map((one) => (
              <Tr key={one.id}>
                <Td>
                  <ArticleLink id={one.id} name={[one.name, one.variant_name].filter(Boolean).join(", ")} />
                </Td>
                <Td num>
                  <Num value={one.orders} />
                </Td>
                <Td num>
                  <Num value={one.units} />
                </Td>
                <Td>
                  <time dateTime={one.last} className="whitespace-nowrap">
                    {formatDay(one.last, locale)}
                  </time>
                </Td>
              </Tr>
            ))}
          </tbody>
        </Table>
      )}
    </Part>
  );
}

const few = 5;

function OrderName({ order }: { order: CustomerOrder }) {
  const { workspace } = usePlace();
  return (
    <Link
      to="/w/$workspace/tables/$slug"
      params={{ workspace: workspace.id, slug: "orders" }}
      search={{ record: order.id }}
      className="rounded-sm text-accent-ink hover:underline"
    >
      {order.number}
    </Link>
  );
}

/** The lines of an order in one paragraph: "2 Tea, 1 Cup" */
function Lines({ order: { lines, cut } }: { order: CustomerOrder }) {
  const { locale } = useLocale();
  const more = lines.length > few || cut;
  return (
    <>
      {lines.slice(0, few).map((line, at) => (
        <span key={line.id}>
          {at > 0 && ", "}
          {formatNumber(line.quantity, locale)} <ArticleLink id={line.product_id} name={line.name} />
          {Number(line.returned) > 0 && ` (${formatNumber(line.returned, locale)} returned)`}
        </span>
      ))}
      {more && (cut ? " and more" : ` and ${lines.length - few} more`)}
    </>
  );
}

const columns: Column<CustomerOrder>[] = [
  { id: "order", head: "Order", cell: (order) => <OrderName order={order} /> },
  { id: "at", head: "Ordered", cell: ({ at }) => <Time value={at} /> },
  { id: "lines", head: "Articles", className: "w-1/2", cell: (order) => <Lines order={order} /> },
  { id: "state", head: "State", className: "max-lg:hidden text-muted", cell: stateOf },
  { id: "total", head: "Total", num: true, cell: ({ total }) => <Money {...total} /> },
];

/** The latest orders, with their lines. */
export function Orders({ customer }: { customer: string }) {
  const { workspace } = usePlace();
  return (
    <DataList
      title="Orders"
      caption="Orders of this customer"
      noun="order"
      list={useOrders(customer)}
      idOf={({ id }) => id}
      nameOf={({ number }) => number}
      columns={columns}
      actions={
        <Link
          to="/w/$workspace/tables/$slug"
          params={{ workspace: workspace.id, slug: "orders" }}
          search={{ filters: { customer_id: { eq: customer } } }}
          className="rounded-sm text-accent-ink hover:underline"
        >
          All, with cancelled ones
        </Link>
      }
      card={(order) => (
        <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-0.5">
          <OrderName order={order} />
          <Money {...order.total} />
          <span className="w-full text-muted text-xs">
            <Time inline value={order.at} />
          </span>
          <span className="w-full">
            <Lines order={order} />
          </span>
        </div>
      )}
      empty={<p className="px-4 py-6 text-muted">No order of this customer counts as a sale yet.</p>}
    />
  );
}
