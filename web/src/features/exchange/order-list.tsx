import { ArrowLeftRight } from "lucide-react";
import { useState } from "react";
import { listExchangeOrdersInfiniteQueryKey } from "@/api/@tanstack/react-query.gen";
import { listExchangeOrders } from "@/api/sdk.gen";
import type { ExchangeOrder } from "@/api/types.gen";
import { usePagedRows } from "@/lib/list-rows";
import { useLocale } from "@/lib/locale";
import { usePlace } from "@/lib/session";
import { failedTimes, retryAll } from "@/messages/exchange";
import { Button } from "@/ui/button";
import { type Column, DataList } from "@/ui/data-list";
import { SearchField } from "@/ui/filter";
import { Time } from "@/ui/time";
import { OrderDrawer } from "./order-drawer";
import { Progress, useExchange } from "./progress";
import { StateBadge } from "./state-badge";
import { useRetryAll } from "./use-order";
import { type OrderState, states } from "./words";

const pageSize = 50;
const refreshEvery = 5_000;

interface OrderListProps {
  connection: string;
  /** Only orders in this state. */
  state: OrderState | undefined;
  onState: (state: OrderState | undefined) => void;
}

/** The orders that are exchanged over a connection: how they stand, and what can be done about it. */
export function OrderList({ connection, state, onState }: OrderListProps) {
  const { workspace } = usePlace();
  const [order, setOrder] = useState<string>();
  const [open, setOpen] = useState<string>();
  const path = { workspace: workspace.id, connection };
  const wanted = { limit: pageSize, ...(state && { state }), ...(order && { order_no: order }) };
  const list = usePagedRows({
    queryKey: listExchangeOrdersInfiniteQueryKey({ path, query: wanted }),
    read: async (cursor, signal) => {
      const query = { ...wanted, ...(cursor && { cursor }) };
      return (await listExchangeOrders({ path, query, signal, throwOnError: true })).data;
    },
    idOf: ({ order_no }) => order_no,
    every: refreshEvery,
  });
  const opened = list.rows?.find(({ order_no }) => order_no === open);
  return (
    <div className="flex flex-col gap-4">
      <Progress connection={connection} state={state} onState={onState} />
      <DataList
        caption="Orders of the connection"
        noun="order"
        list={list}
        idOf={({ order_no }) => order_no}
        nameOf={({ order_no }) => order_no}
        columns={columns(setOpen)}
        card={(row) => <OrderCard order={row} onOpen={setOpen} />}
        onOpen={({ order_no }) => setOpen(order_no)}
        open={open}
        title={state ? states[state].label : "All orders"}
        actions={
          <>
            <RetryAll connection={connection} state={state} />
            <SearchField label="Find an order" placeholder="Order number" text={order} onSearch={setOrder} />
          </>
        }
        empty={<Nothing filtered={Boolean(state || order)} />}
      />
      {opened && <OrderDrawer order={opened} onClosed={() => setOpen(undefined)} />}
    </div>
  );
}

/** Retries all orders that failed or are held, when the list shows them. */
function RetryAll({ connection, state }: { connection: string; state: OrderState | undefined }) {
  const { locale } = useLocale();
  const { data } = useExchange(connection);
  const { retry, retrying } = useRetryAll(connection);
  if (state !== "failed" && state !== "held") return null;
  const count = data?.orders[state] ?? 0;
  return (
    count > 0 && (
      <Button size="sm" loading={retrying} onClick={() => retry(state)}>
        {retryAll({ count }, locale)}
      </Button>
    )
  );
}

function Nothing({ filtered }: { filtered: boolean }) {
  return (
    <p className="flex items-center justify-center gap-2 px-4 py-8 text-muted">
      <ArrowLeftRight className="size-4" aria-hidden />
      {filtered
        ? "No order is like this."
        : "Orders appear here once the connection is in use and exports or loads them."}
    </p>
  );
}

/** Why an order stands as it does, in a line. */
function Why({ order }: { order: ExchangeOrder }) {
  const { locale } = useLocale();
  const { state, message, notices, failures, due_at } = order;
  return (
    <span className="flex min-w-0 flex-col">
      <span className="line-clamp-2 break-words first-letter:uppercase">
        {message || (state !== "synced" && states[state].about)}
      </span>
      <span className="flex flex-wrap gap-x-3 text-muted text-xs">
        {failures > 0 && <span>{failedTimes({ count: failures }, locale)}</span>}
        {due_at && (
          <span>
            Compared <Time inline value={due_at} />
          </span>
        )}
        {notices.map(({ code, text }) => (
          <span key={code}>{text}</span>
        ))}
      </span>
    </span>
  );
}

function OpenButton({ order, onOpen }: { order: ExchangeOrder; onOpen: (order: string) => void }) {
  return (
    <button
      type="button"
      onClick={() => onOpen(order.order_no)}
      className="inline-flex min-h-6 items-center break-all rounded-sm text-left font-medium text-accent-ink hover:underline"
    >
      {order.order_no}
    </button>
  );
}

function columns(onOpen: (order: string) => void): Column<ExchangeOrder>[] {
  return [
    {
      id: "order",
      head: "Order",
      className: "w-40",
      cell: (row) => <OpenButton order={row} onOpen={onOpen} />,
    },
    { id: "state", head: "State", className: "w-28", cell: ({ state }) => <StateBadge state={state} /> },
    { id: "why", head: "Message", cell: (row) => <Why order={row} /> },
    {
      id: "synced",
      head: "Last in sync",
      className: "w-36",
      cell: ({ synced_at }) =>
        synced_at ? <Time value={synced_at} /> : <span className="text-subtle">–</span>,
    },
    {
      id: "there",
      head: "Id there",
      className: "w-28",
      cell: ({ external_id }) => external_id ?? <span className="text-subtle">–</span>,
    },
  ];
}

function OrderCard({ order, onOpen }: { order: ExchangeOrder; onOpen: (order: string) => void }) {
  return (
    <div className="flex flex-col gap-1">
      <span className="flex items-center justify-between gap-2">
        <OpenButton order={order} onOpen={onOpen} />
        <StateBadge state={order.state} />
      </span>
      <Why order={order} />
    </div>
  );
}
