import { Amount, Day } from "@/features/purchasing/parts";
import { OrderLink } from "@/features/subject/links";
import { Part } from "@/features/subject/part";
import { cx } from "@/lib/cx";
import { useLocale } from "@/lib/locale";
import { Num } from "@/ui/num";
import { Table, Td, Th, Tr } from "@/ui/table";
import { Time } from "@/ui/time";
import { ArticleName } from "./article-name";
import type { useActivity } from "./queries";
import { lateness, rise } from "./words";

interface ActivityProps {
  activity: ReturnType<typeof useActivity>;
}

/** Articles whose price changed, the largest rise first. */
export function Prices({ activity }: ActivityProps) {
  return (
    <Part
      title="Price changes"
      description="The last price against the one before, the largest rises first."
      of={activity}
      flush
      empty={({ prices }) => prices.length === 0 && "No price has changed between orders."}
    >
      {({ prices }) => (
        <Table caption="Price changes">
          <thead>
            <tr>
              <Th>Article</Th>
              <Th num>Before</Th>
              <Th num>Last</Th>
              <Th num>Change</Th>
            </tr>
          </thead>
          <tbody>
            {prices.map((one) => (
              <Tr key={`${one.sku} ${one.currency}`}>
                <Td>
                  <ArticleName of={one} />
                </Td>
                {[one.before, one.last].map((paid) => (
                  <Td key={paid.line_id} num>
                    <Amount amount={paid.price} currency={one.currency || undefined} />
                    <span className="block text-muted text-xs max-sm:hidden">
                      <OrderLink order={paid.order_no} line={paid.line_id} />, <Time inline value={paid.at} />
                    </span>
                  </Td>
                ))}
                <Td num>
                  <span className={cx(rise(one) > 0 && "font-medium text-bad-ink")}>
                    {rise(one) > 0 && "+"}
                    <Num value={rise(one)} percent digits={1} className="text-inherit" />
                  </span>
                </Td>
              </Tr>
            ))}
          </tbody>
        </Table>
      )}
    </Part>
  );
}

/** What came last, and how late. */
export function Deliveries({ activity }: ActivityProps) {
  const { locale } = useLocale();
  return (
    <Part
      title="Last deliveries"
      description="Lines that were fully received."
      of={activity}
      flush
      empty={({ deliveries }) => deliveries.length === 0 && "Nothing was fully received yet."}
    >
      {({ deliveries }) => (
        <Table caption="Last deliveries">
          <thead>
            <tr>
              <Th>Order</Th>
              <Th className="max-sm:hidden">Article</Th>
              <Th>Promised</Th>
              <Th>Came</Th>
              <Th>How late</Th>
            </tr>
          </thead>
          <tbody>
            {deliveries.map((one) => (
              <Tr key={one.line_id}>
                <Td>
                  <OrderLink order={one.order_no} line={one.line_id} />
                </Td>
                <Td className="max-sm:hidden">
                  <ArticleName of={one} />
                </Td>
                <Td>
                  <Day day={one.promised} />
                </Td>
                <Td>
                  <Day day={one.came} />
                </Td>
                <Td className={cx((one.days_late ?? 0) > 0 ? "text-bad-ink" : "text-muted")}>
                  {lateness(one, locale)}
                </Td>
              </Tr>
            ))}
          </tbody>
        </Table>
      )}
    </Part>
  );
}
