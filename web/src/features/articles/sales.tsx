import { Link } from "@tanstack/react-router";
import { CustomerLink } from "@/features/subject/links";
import { Part } from "@/features/subject/part";
import { formatMoney, formatNumber } from "@/lib/format";
import { useLocale } from "@/lib/locale";
import { usePlace } from "@/lib/session";
import { formatDay } from "@/lib/time";
import { bought } from "@/messages/articles";
import { Money, Num } from "@/ui/num";
import { Table, Td, Th, Tr } from "@/ui/table";
import type { useActivity } from "./queries";

interface SalesProps {
  record: string;
  activity: ReturnType<typeof useActivity>;
}

const link = "rounded-sm text-accent-ink hover:underline";

/** What was sold in the last year, and to whom. */
export function Sales({ record, activity }: SalesProps) {
  const { locale } = useLocale();
  const { workspace } = usePlace();
  const buyers = activity.data?.buyers;
  return (
    <Part
      title="Sales and customers"
      description={
        buyers &&
        buyers.orders > 0 && (
          <>
            {bought(
              {
                units: formatNumber(buyers.units, locale),
                orders: buyers.orders,
                customers: buyers.customers,
              },
              locale,
            )}{" "}
            in the last 12 months
            {buyers.currency && <>, for {formatMoney(buyers.net, buyers.currency, locale)}</>}
            {Number(buyers.returned) > 0 && <>; {formatNumber(buyers.returned, locale)} returned</>}.
          </>
        )
      }
      of={activity}
      flush
      actions={
        <>
          <Link
            to="/w/$workspace/tables/$slug"
            params={{ workspace: workspace.id, slug: "weekly_sales" }}
            search={{ product: record }}
            className={link}
          >
            Weeks
          </Link>
          <Link
            to="/w/$workspace/tables/$slug"
            params={{ workspace: workspace.id, slug: "order_line_items" }}
            search={{ filters: { product_id: { eq: record } } }}
            className={link}
          >
            Order lines
          </Link>
        </>
      }
      empty={(data) =>
        data.buyers.orders === 0
          ? "Nothing was sold in the last 12 months."
          : data.buyers.top.length === 0 && "No order names its customer."
      }
    >
      {(data) => (
        <Table caption="Largest buyers">
          <thead>
            <tr>
              <Th>Customer</Th>
              <Th num>Units</Th>
              <Th num className="max-sm:hidden">
                Orders
              </Th>
              <Th num>Sales</Th>
              <Th>Last order</Th>
            </tr>
          </thead>
          <tbody>
            {data.buyers.top.map((buyer) => (
              <Tr key={buyer.id}>
                <Td>
                  <CustomerLink id={buyer.id} name={buyer.name || "Unknown customer"} />
                </Td>
                <Td num>
                  <Num value={buyer.units} />
                </Td>
                <Td num className="max-sm:hidden">
                  <Num value={buyer.orders} />
                </Td>
                <Td num>
                  <Money
                    amount={buyer.net}
                    {...(data.buyers.currency && { currency: data.buyers.currency })}
                  />
                </Td>
                <Td>
                  <time dateTime={buyer.last} className="whitespace-nowrap">
                    {formatDay(buyer.last, locale)}
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
