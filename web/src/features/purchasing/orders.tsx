import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Check, ClipboardList, Plus, Search } from "lucide-react";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import type { Order, OrderCounts } from "@/api/types.gen";
import { useOpenWithDraft } from "@/lib/edit";
import { plural } from "@/lib/format";
import { useHold } from "@/lib/live";
import { useLocale } from "@/lib/locale";
import { useWide } from "@/lib/media";
import { usePlace } from "@/lib/session";
import { useShortcuts } from "@/lib/shortcuts";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { Checkbox } from "@/ui/checkbox";
import { EmptyState } from "@/ui/empty-state";
import { ErrorNote } from "@/ui/error-note";
import { Input } from "@/ui/input";
import { LiveNote } from "@/ui/live-note";
import { Page } from "@/ui/page";
import { SkeletonText } from "@/ui/skeleton";
import { Table, Td, Th, Tr } from "@/ui/table";
import { Tabs } from "@/ui/tabs";
import { addTotals, countText, lineStates, newLinesOf, statusNames, suppliersOf } from "./model";
import { Day, FlagCount, LineStatusBadge, Totals } from "./parts";
import { countsQuery, useOrders, useToday } from "./queries";
import { type OrdersSort, type OrdersTab, statuses } from "./tabs";

const NewLines = lazy(async () => ({ default: (await import("./new-lines")).NewLines }));
const BulkApprove = lazy(async () => ({ default: (await import("./bulk-approve")).BulkApprove }));

const tabs: ("all" | OrdersTab)[] = [
  "all",
  ...statuses.flatMap((status): OrdersTab[] => (status === "received" ? [status, "closed_short"] : [status])),
  "overdue",
];

function tabName(tab: "all" | OrdersTab): string {
  if (tab === "all") return "All";
  if (tab === "overdue") return "Overdue";
  return tab === "closed_short" ? "Closed short" : statusNames[tab];
}

function tabCount(counts: OrderCounts | undefined, tab: "all" | OrdersTab): number | undefined {
  if (!counts) return undefined;
  if (tab === "all") return counts.orders;
  if (tab === "closed_short") return counts.closed_short;
  return tab === "overdue" ? counts.overdue : (counts.by_status[tab] ?? 0);
}

/** Every order of the workspace. */
export function OrdersPage() {
  const { workspace, can } = usePlace();
  const { tab, text, sort } = useSearch({ from: "/inside/w/$workspace/purchase-orders" });
  const { locale } = useLocale();
  const go = useNavigate();
  const counts = useQuery(countsQuery(workspace.id)).data;
  const [creating, setCreating] = useOpenWithDraft(newLinesOf());
  const drafts = can("draft_lines");
  const field = useRef<HTMLInputElement>(null);
  const look = (next: {
    tab?: OrdersTab | undefined;
    text?: string | undefined;
    sort?: OrdersSort | undefined;
  }) =>
    void go({
      to: "/w/$workspace/purchase-orders",
      params: { workspace: workspace.id },
      search: {
        ...(next.tab && { tab: next.tab }),
        ...(next.text && { text: next.text }),
        ...(next.sort && { sort: next.sort }),
      },
      replace: true,
    });
  useShortcuts([
    { keys: "/", label: "Search orders", group: "Purchase orders", run: () => field.current?.focus() },
    ...(drafts
      ? [{ keys: "n", label: "New order", group: "Purchase orders", run: () => setCreating(true) }]
      : []),
  ]);
  const create = drafts && (
    <Button variant="primary" icon={<Plus aria-hidden />} onClick={() => setCreating(true)}>
      New order
    </Button>
  );
  return (
    <Page
      title="Purchase orders"
      description="What is being bought, from whom, and what is still to come."
      actions={create}
    >
      <Tabs
        label="Which orders"
        value={tab ?? "all"}
        onValueChange={(next) => look({ tab: next === "all" ? undefined : next, text, sort })}
        tabs={tabs.map((value) => {
          const count = tabCount(counts, value);
          return {
            value,
            label: tabName(value),
            ...(count !== undefined && { count: countText(count, locale) }),
          };
        })}
      >
        <SearchField text={text} look={(next) => look({ tab, text: next, sort })} field={field} />
        <OrderList
          // Another filter is another selection.
          key={`${tab} ${text} ${sort}`}
          tab={tab}
          text={text}
          sort={sort}
          sortBy={(next) => look({ tab, text, sort: next === sort ? undefined : next })}
          create={create}
        />
      </Tabs>
      {creating && (
        <Suspense>
          <NewLines onClosed={() => setCreating(false)} />
        </Suspense>
      )}
    </Page>
  );
}

interface SearchFieldProps {
  text: string | undefined;
  look: (text: string) => void;
  field: React.RefObject<HTMLInputElement | null>;
}

function SearchField({ text = "", look, field }: SearchFieldProps) {
  const [typed, setTyped] = useState(text);
  const asked = useRef(text);
  const latest = useRef(look);
  latest.current = look;
  // A link that leads here with another search, or none, has the last word.
  useEffect(() => {
    if (text === asked.current) return;
    asked.current = text;
    setTyped(text);
  }, [text]);
  useEffect(() => {
    if (typed === asked.current) return;
    const timer = setTimeout(() => {
      asked.current = typed;
      latest.current(typed);
    }, 250);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <div className="mb-3 max-w-sm">
      <Input
        ref={field}
        type="search"
        aria-label="Search orders"
        placeholder="Number, article or supplier"
        lead={<Search aria-hidden />}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
    </div>
  );
}

interface OrderListProps {
  tab: OrdersTab | undefined;
  text: string | undefined;
  sort: OrdersSort | undefined;
  /** Sorts by this; by what they are sorted already: the newest first again. */
  sortBy: (sort: OrdersSort) => void;
  create: React.ReactNode;
}

function OrderList({ tab, text, sort, sortBy, create }: OrderListProps) {
  const { can } = usePlace();
  const narrow = !useWide("md");
  const { list, orders, live } = useOrders(tab, text, sort);
  const { error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = list;
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  useHold(chosen.size > 0);
  const [approving, setApproving] = useState(false);
  const bulk = tab === "pending_approval" && can("approve_lines");
  if (error && !orders) return <ErrorNote error={error} retry={refetch} />;
  if (!orders) return <SkeletonText lines={8} label="Loading the orders" />;
  if (orders.length === 0)
    return tab || text ? (
      <p className="px-4 py-10 text-center text-muted">No order matches.</p>
    ) : (
      <Card>
        <EmptyState
          icon={<ClipboardList aria-hidden />}
          action={create}
          docs={{ href: "/docs#draftLines", label: "How purchase orders work" }}
        >
          No order yet. Draft one, or let your systems send purchase order lines.
        </EmptyState>
      </Card>
    );
  const selected = orders.filter((order) => chosen.has(order.order_no));
  const toggle = (numbers: string[], on: boolean) =>
    setChosen((before) => {
      const next = new Set(before);
      for (const number of numbers) on ? next.add(number) : next.delete(number);
      return next;
    });
  const props = { orders, chosen, toggle: bulk ? toggle : undefined, sort, sortBy };
  return (
    <>
      <LiveNote of={list} {...live} />
      <Card
        flush
        footer={
          hasNextPage && (
            <Button size="sm" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
              Show more
            </Button>
          )
        }
      >
        {narrow ? <OrderCards {...props} /> : <OrderTable {...props} />}
      </Card>
      {selected.length > 0 && (
        <section
          aria-label="Selected orders"
          className="sticky bottom-3 z-20 mt-3 flex flex-wrap items-center gap-x-4 gap-y-2 rounded-lg border border-line bg-raised p-2 pl-4 shadow-pop max-md:bottom-17"
        >
          <span className="flex-1 font-medium">
            {selected.length} {plural(selected.length, "order")} selected
          </span>
          <Totals totals={addTotals(selected.flatMap((order) => order.totals))} className="text-muted" />
          <Button
            variant="primary"
            icon={<Check aria-hidden />}
            className="max-md:h-11"
            onClick={() => setApproving(true)}
          >
            Approve…
          </Button>
        </section>
      )}
      {approving && (
        <Suspense>
          <BulkApprove
            orders={selected.map((order) => order.order_no)}
            onClosed={() => setApproving(false)}
            onDone={() => setChosen(new Set())}
          />
        </Suspense>
      )}
    </>
  );
}

interface ListProps {
  orders: readonly Order[];
  chosen: ReadonlySet<string>;
  toggle: ((numbers: string[], on: boolean) => void) | undefined;
  sort: OrdersSort | undefined;
  sortBy: (sort: OrdersSort) => void;
}

function OrderTable({ orders, chosen, toggle, sort, sortBy }: ListProps) {
  const today = useToday();
  const by = (column: OrdersSort) => ({
    sort: sort === column ? ("asc" as const) : null,
    onSort: () => sortBy(column),
  });
  const all = orders.every((order) => chosen.has(order.order_no));
  return (
    <Table caption="Purchase orders">
      <thead>
        <tr>
          {toggle && (
            <Th className="w-0">
              <Checkbox
                aria-label="Select all orders"
                checked={all}
                indeterminate={!all && chosen.size > 0}
                onCheckedChange={(on) =>
                  toggle(
                    orders.map((order) => order.order_no),
                    on,
                  )
                }
              />
            </Th>
          )}
          <Th {...by("number")}>Order</Th>
          <Th {...by("supplier")}>Suppliers</Th>
          <Th>Lines</Th>
          <Th num>Total</Th>
          <Th {...by("arrival")}>Next arrival</Th>
        </tr>
      </thead>
      <tbody>
        {orders.map((order) => (
          <Tr key={order.order_no} selected={chosen.has(order.order_no)}>
            {toggle && (
              <Td>
                <Checkbox
                  aria-label={`Select ${order.order_no}`}
                  checked={chosen.has(order.order_no)}
                  onCheckedChange={(on) => toggle([order.order_no], on)}
                />
              </Td>
            )}
            <Td className="py-1.5">
              <span className="flex items-center gap-2">
                <OrderLink order={order} />
                <FlagCount count={order.flags} />
              </span>
            </Td>
            <Td className="max-w-0 truncate text-muted lg:w-1/4">
              <Suppliers order={order} />
            </Td>
            <Td className="py-1.5">
              <LineStates order={order} />
            </Td>
            <Td num>
              <Totals totals={order.totals} />
            </Td>
            <Td>
              <Day day={order.next_arrival} late={isOverdue(order, today)} />
            </Td>
          </Tr>
        ))}
      </tbody>
    </Table>
  );
}

function OrderCards({ orders, chosen, toggle }: ListProps) {
  const today = useToday();
  return (
    <ul aria-label="Purchase orders" className="divide-y divide-line">
      {orders.map((order) => (
        <li key={order.order_no} className="flex gap-3 px-4 py-3">
          {toggle && (
            <span className="pt-1">
              <Checkbox
                aria-label={`Select ${order.order_no}`}
                checked={chosen.has(order.order_no)}
                onCheckedChange={(on) => toggle([order.order_no], on)}
              />
            </span>
          )}
          <div className="flex min-w-0 flex-1 flex-col gap-1.5">
            <span className="flex items-center justify-between gap-2">
              <span className="flex min-w-0 items-center gap-2">
                <OrderLink order={order} />
                <FlagCount count={order.flags} />
              </span>
              <Totals totals={order.totals} />
            </span>
            <span className="flex justify-between gap-3 text-muted text-xs">
              <span className="truncate">
                <Suppliers order={order} />
              </span>
              {order.next_arrival && <Day day={order.next_arrival} late={isOverdue(order, today)} />}
            </span>
            <LineStates order={order} />
          </div>
        </li>
      ))}
    </ul>
  );
}

function OrderLink({ order }: { order: Order }) {
  const { workspace } = usePlace();
  return (
    <Link
      to="/w/$workspace/purchase-orders/$order"
      params={{ workspace: workspace.id, order: order.order_no }}
      className="min-w-0 break-all rounded-sm font-medium text-accent-ink hover:underline max-md:py-1 max-md:text-base"
    >
      {order.order_no}
    </Link>
  );
}

function Suppliers({ order }: { order: Order }) {
  return suppliersOf(order) ?? "No supplier";
}

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
