import { useState } from "react";
import type { ArticleActivity, ArticleLine } from "@/api/types.gen";
import { Amount, Day, LineStatusBadge } from "@/features/purchasing/parts";
import { OrderLink } from "@/features/subject/links";
import { Part } from "@/features/subject/part";
import { who } from "@/features/subject/words";
import { useLocale } from "@/lib/locale";
import { showAll } from "@/messages/articles";
import { Button } from "@/ui/button";
import { Num } from "@/ui/num";
import { Table, Td, Th, Tr } from "@/ui/table";
import { Time } from "@/ui/time";
import type { useActivity } from "./queries";

interface OrdersProps {
  activity: ReturnType<typeof useActivity>;
  today: string;
}

const few = 8;

/** The purchase order lines of the article, and what arrived of them. */
export function Orders({ activity, today }: OrdersProps) {
  const { locale } = useLocale();
  const [all, setAll] = useState(false);
  return (
    <Part
      title="Orders and receipts"
      of={activity}
      flush
      empty={({ lines }) => lines.length === 0 && "It was never ordered."}
    >
      {({ lines, receipts }) => (
        <div className="grid xl:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
          <div className="min-w-0">
            <LineTable lines={all ? lines : lines.slice(0, few)} today={today} />
            {lines.length > few && !all && (
              <div className="border-line border-t px-4 py-2">
                <Button size="sm" onClick={() => setAll(true)}>
                  {showAll({ count: lines.length }, locale)}
                </Button>
              </div>
            )}
          </div>
          <Receipts receipts={all ? receipts : receipts.slice(0, few)} />
        </div>
      )}
    </Part>
  );
}

function LineTable({ lines, today }: { lines: readonly ArticleLine[]; today: string }) {
  return (
    <Table caption="Purchase order lines of this article">
      <thead>
        <tr>
          <Th>Order</Th>
          <Th>Status</Th>
          <Th num>Ordered</Th>
          <Th num>Received</Th>
          <Th num className="max-sm:hidden">
            Price
          </Th>
          <Th className="max-sm:hidden">Expected</Th>
          <Th className="max-md:hidden">Supplier</Th>
        </tr>
      </thead>
      <tbody>
        {lines.map((line) => (
          <Tr key={line.id}>
            <Td>
              <OrderLink order={line.order_no} line={line.id} />
            </Td>
            <Td>
              <LineStatusBadge
                status={line.status}
                closedShort={
                  line.status === "received" && Number(line.quantity_received) < Number(line.quantity_ordered)
                }
              />
            </Td>
            <Td num>
              <Num value={line.quantity_ordered} />
            </Td>
            <Td num>
              <Num value={line.quantity_received} />
            </Td>
            <Td num className="max-sm:hidden">
              <Amount amount={line.price?.amount} currency={line.price?.currency} />
            </Td>
            <Td className="max-sm:hidden">
              <Day day={line.expected_arrival_date} late={isLate(line, today)} />
            </Td>
            <Td className="max-md:hidden">{line.supplier ?? <Num value={undefined} />}</Td>
          </Tr>
        ))}
      </tbody>
    </Table>
  );
}

function isLate({ status, expected_arrival_date: day }: ArticleLine, today: string): boolean {
  return (status === "ordered" || status === "partially_received") && day !== undefined && day < today;
}

function Receipts({ receipts }: Pick<ArticleActivity, "receipts">) {
  return (
    <section aria-label="Receipts" className="min-w-0 border-line px-4 py-2 max-xl:border-t xl:border-l">
      <h3 className="py-1 font-medium text-muted text-xs">Receipts</h3>
      {receipts.length === 0 && <p className="py-1 text-muted">Nothing has arrived yet.</p>}
      <ul>
        {receipts.map((receipt) => (
          <li key={receipt.id} className="flex flex-wrap items-baseline gap-x-2 py-1">
            <Num value={receipt.quantity} className="font-medium text-ink" />
            <span>
              on <OrderLink order={receipt.order_no} line={receipt.line_id} />
            </span>
            <span className="text-muted">
              <Time inline value={receipt.at} />, by {who(receipt.by)}
            </span>
            {receipt.note && <span className="w-full break-words text-muted text-xs">{receipt.note}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}
