import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Check, ClipboardList } from "lucide-react";
import { lazy, type ReactNode, Suspense, useState } from "react";
import type { Order } from "@/api/types.gen";
import type { FileColumn } from "@/lib/save-rows";
import { useSelection } from "@/lib/selection";
import { usePlace } from "@/lib/session";
import { BulkBar } from "@/ui/bulk-bar";
import { Button } from "@/ui/button";
import { type Column, DataList } from "@/ui/data-list";
import { EmptyState } from "@/ui/empty-state";
import { toast } from "@/ui/toast";
import { addTotals, lineStates, suppliersOf } from "./model";
import { Day, FlagCount, LineStatusBadge, Totals } from "./parts";
import { useOrders, useToday } from "./queries";
import type { OrdersSearch, OrdersTab } from "./tabs";

const BulkApprove = lazy(async () => ({ default: (await import("./bulk-approve")).BulkApprove }));

/** The most orders that can be approved at once, because somebody must be able to read them. */
const maxAtOnce = 200;

/** The tabs whose orders can be approved from the list. */
const approvable: OrdersTab[] = ["pending_approval", "to_approve"];

interface OrderListProps {
  search: OrdersSearch;
  /** The number of orders on the tab. */
  total: number | undefined;
  narrow: (change: OrdersSearch) => void;
  want: (pages: number) => void;
  /** The button that creates an order, if the person may. */
  create: ReactNode;
}

export function OrderList({ search, total, narrow, want, create }: OrderListProps) {
  const { can } = usePlace();
  const { tab, text, sort } = search;
  const today = useToday();
  const list = useOrders(search, want);
  const rows = list.previous ? undefined : list.rows;
  const selection = useSelection({ rows, idOf, filter: `${tab} ${text} ${sort}` });
  const [approving, setApproving] = useState(false);
  const { chosen } = selection;
  // The tabs' counts do not include the search.
  const known = text ? undefined : total;
  const everything = useMutation({
    mutationFn: async () => selection.set((await list.more?.upTo(maxAtOnce)) ?? [], true),
    onError: (error) => toast.error(error, "Not all could be read"),
  });
  return (
    <>
      <DataList
        caption="Purchase orders"
        noun="order"
        list={list}
        idOf={idOf}
        nameOf={idOf}
        columns={columns(today)}
        file={fileColumns}
        card={(order) => <OrderCard order={order} today={today} />}
        sort={{
          by: sort,
          // A second press on the same header returns to newest first.
          onSort: (by) => narrow({ sort: by === sort ? undefined : (by as NonNullable<typeof sort>) }),
        }}
        selection={tab && approvable.includes(tab) && can("approve_lines") ? selection : undefined}
        total={known}
        empty={
          tab || text ? (
            <p className="px-4 py-10 text-center text-muted">No order matches.</p>
          ) : (
            <NoOrder create={create} />
          )
        }
      />
      <BulkBar
        count={chosen.length}
        clear={selection.clear}
        all={
          list.more && known !== undefined
            ? {
                total: Math.min(known, maxAtOnce),
                of: known,
                select: everything.mutate,
                loading: everything.isPending,
              }
            : undefined
        }
      >
        <Totals
          totals={addTotals(chosen.flatMap((order) => order.totals))}
          leftOut={chosen.reduce((sum, order) => sum + order.left_out, 0)}
          className="text-muted"
        />
        <Button
          variant="primary"
          size="sm"
          icon={<Check aria-hidden />}
          className="max-md:h-11"
          onClick={() => setApproving(true)}
        >
          Approve…
        </Button>
      </BulkBar>
      {approving && (
        <Suspense>
          <BulkApprove
            orders={chosen.map(idOf)}
            onClosed={() => setApproving(false)}
            onDone={selection.clear}
          />
        </Suspense>
      )}
    </>
  );
}

const idOf = (order: Order) => order.order_no;

function NoOrder({ create }: { create: ReactNode }) {
  return (
    <EmptyState
      icon={<ClipboardList aria-hidden />}
      action={create}
      docs={{ href: "/docs/purchasing", label: "How purchase orders work" }}
    >
      No order yet. Draft one, or let your systems send purchase order lines.
    </EmptyState>
  );
}

const columns = (today: string): Column<Order>[] => [
  {
    id: "order",
    head: "Order",
    sort: "number",
    className: "py-1.5",
    cell: (order) => <OrderName order={order} />,
  },
  {
    id: "suppliers",
    head: "Suppliers",
    sort: "supplier",
    className: "max-w-0 truncate text-muted lg:w-1/4",
    cell: suppliers,
  },
  { id: "lines", head: "Lines", className: "py-1.5", cell: (order) => <LineStates order={order} /> },
  {
    id: "total",
    head: "Total",
    num: true,
    cell: (order) => <Totals totals={order.totals} leftOut={order.left_out} />,
  },
  {
    id: "arrival",
    head: "Next arrival",
    sort: "arrival",
    cell: (order) => <Day day={order.next_arrival} late={isOverdue(order, today)} />,
  },
];

const fileColumns: FileColumn<Order>[] = [
  { name: "Order", value: idOf },
  { name: "Suppliers", value: (order) => suppliersOf(order) ?? "" },
  { name: "Lines", value: (order) => order.lines },
  // A plain number for spreadsheets, unless there are several currencies.
  { name: "Total", value: ({ totals }) => totals.map(({ amount }) => amount).join(" + ") },
  { name: "Currency", value: ({ totals }) => totals.map(({ currency }) => currency).join(" + ") },
  { name: "Next arrival", value: (order) => order.next_arrival ?? null },
  { name: "Flags", value: (order) => order.flags },
];

function OrderCard({ order, today }: { order: Order; today: string }) {
  return (
    <div className="flex flex-col gap-1.5">
      <span className="flex items-center justify-between gap-2">
        <OrderName order={order} />
        <Totals totals={order.totals} leftOut={order.left_out} />
      </span>
      <span className="flex justify-between gap-3 text-muted text-xs">
        <span className="truncate">{suppliers(order)}</span>
        {order.next_arrival && <Day day={order.next_arrival} late={isOverdue(order, today)} />}
      </span>
      <LineStates order={order} />
    </div>
  );
}

function OrderName({ order }: { order: Order }) {
  const { workspace } = usePlace();
  return (
    <span className="flex min-w-0 items-center gap-2">
      <Link
        to="/w/$workspace/purchase-orders/$order"
        params={{ workspace: workspace.id, order: order.order_no }}
        className="min-w-0 break-all rounded-sm font-medium text-accent-ink hover:underline max-md:py-1 max-md:text-base"
      >
        {order.order_no}
      </Link>
      <FlagCount count={order.flags} />
    </span>
  );
}

const suppliers = (order: Order) => suppliersOf(order) ?? "No supplier";

function LineStates({ order }: { order: Order }) {
  return (
    <span className="flex flex-wrap gap-1">
      {lineStates(order).map(({ status, count, closedShort }) => (
        <span key={`${status} ${closedShort}`} className="inline-flex items-center gap-1">
          <span className="text-muted text-xs tabular-nums">{count}</span>
          <LineStatusBadge status={status} closedShort={closedShort} />
        </span>
      ))}
    </span>
  );
}

function isOverdue(order: Order, today: string): boolean {
  return order.next_arrival !== undefined && order.next_arrival < today;
}
