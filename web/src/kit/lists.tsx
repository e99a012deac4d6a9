import { Check } from "lucide-react";
import { useState } from "react";
import type { ListRows } from "@/lib/list-rows";
import { ApiError } from "@/lib/problem";
import { useSelection } from "@/lib/selection";
import { StatusBadge } from "@/ui/badge";
import { BulkBar } from "@/ui/bulk-bar";
import { Button } from "@/ui/button";
import { type Column, DataList } from "@/ui/data-list";
import { Money, Num } from "@/ui/num";
import { Time } from "@/ui/time";
import { minutesAgo, orders } from "./sample-data";
import { Section } from "./section";

type Order = (typeof orders)[number];

const columns: Column<Order>[] = [
  {
    id: "number",
    head: "Order",
    sort: "number",
    className: "whitespace-nowrap font-medium",
    cell: (order) => <a href={`#${order.number}`}>{order.number}</a>,
  },
  { id: "supplier", head: "Supplier", className: "whitespace-nowrap", cell: (order) => order.supplier },
  { id: "status", head: "Status", cell: (order) => <StatusBadge status={order.status} /> },
  { id: "lines", head: "Lines", num: true, cell: (order) => <Num value={order.lines} /> },
  {
    id: "total",
    head: "Total",
    num: true,
    cell: (order) => <Money amount={order.total} currency={order.currency} />,
  },
  {
    id: "arrives",
    head: "Arrives",
    sort: "arrives",
    cell: (order) => <Time value={minutesAgo(-order.due * 1440 - 5)} />,
  },
];

/** A list without errors, for samples. */
const base = {
  rows: orders,
  previous: false,
  error: null,
  refetch: () => {},
  live: {
    of: {
      data: orders,
      error: null,
      fetchStatus: "idle",
      dataUpdatedAt: minutesAgo(2).getTime(),
      refetch: () => {},
    },
  },
} satisfies ListRows<Order>;

const common = {
  noun: "order",
  idOf: (order: Order) => order.number,
  nameOf: (order: Order) => order.number,
  empty: <p className="px-4 py-6 text-center text-muted">No order matches.</p>,
};

export function Lists() {
  const [sort, setSort] = useState("arrives");
  const by = sort === "number" ? (order: Order) => order.number : (order: Order) => order.due;
  const rows = [...orders].sort((a, b) => (by(a) < by(b) ? -1 : 1));
  const selection = useSelection({ rows, idOf: common.idOf, filter: "" });
  const few = columns.slice(0, 3);
  return (
    <Section id="lists" title="Lists">
      <DataList
        {...common}
        caption="Purchase orders"
        title="Purchase orders"
        list={{ ...base, rows, more: { load: () => {}, loading: false, upTo: async () => rows } }}
        columns={columns}
        sort={{ by: sort, onSort: setSort }}
        selection={selection}
        total={1204}
      />
      <BulkBar
        count={selection.chosen.length}
        clear={selection.clear}
        all={{ total: 200, of: 1204, select: () => {} }}
      >
        <Button variant="primary" size="sm" icon={<Check aria-hidden />}>
          Approve…
        </Button>
      </BulkBar>
      <div className="grid gap-4 lg:grid-cols-2">
        <DataList
          {...common}
          caption="Orders of the filter before"
          title="Of the filter before"
          list={{ ...base, rows: orders.slice(0, 2), previous: true }}
          columns={few}
        />
        <DataList
          {...common}
          caption="Orders that come"
          title="Not known yet"
          list={{ ...base, rows: undefined }}
          columns={few}
        />
        <DataList {...common} caption="No orders" title="None" list={{ ...base, rows: [] }} columns={few} />
        <DataList
          {...common}
          caption="Orders that could not be read"
          list={{ ...base, rows: undefined, error: new ApiError({ detail: "The database is away." }, 503) }}
          columns={few}
        />
      </div>
    </Section>
  );
}
