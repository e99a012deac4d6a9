import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { CalendarDays, ChevronLeft, ChevronRight } from "lucide-react";
import type { Line } from "@/api/types.gen";
import { ViewsButton } from "@/features/views/views-button";
import { cx } from "@/lib/cx";
import { formatNumber } from "@/lib/format";
import type { ListRows } from "@/lib/list-rows";
import { useLocale } from "@/lib/locale";
import { useWide } from "@/lib/media";
import type { FileColumn } from "@/lib/save-rows";
import { usePlace } from "@/lib/session";
import { formatDay, shiftDay } from "@/lib/time";
import { more, openInLines, overdue } from "@/messages/purchasing";
import { Button, buttonClass } from "@/ui/button";
import { Card } from "@/ui/card";
import { type Column, DataList } from "@/ui/data-list";
import { EmptyState } from "@/ui/empty-state";
import { ErrorNote } from "@/ui/error-note";
import { IconButton } from "@/ui/icon-button";
import { Num } from "@/ui/num";
import { Page } from "@/ui/page";
import { SkeletonText } from "@/ui/skeleton";
import { monthGrid, shiftMonth } from "./calendar";
import { sumOf } from "./model";
import { Day } from "./parts";
import { arrivalsQuery, useToday } from "./queries";

/** The lines of one order that are expected on one day. */
interface Arrival {
  order: string;
  day: string;
  suppliers: string[];
  lines: number;
  open: string;
}

function byOrder(lines: readonly Line[]): Arrival[] {
  const groups = Map.groupBy(lines, (line) => JSON.stringify([line.expected_arrival_date, line.order_no]));
  return [...groups.values()].flatMap((own) => {
    const first = own[0];
    if (!first?.expected_arrival_date) return [];
    return [
      {
        order: first.order_no,
        day: first.expected_arrival_date,
        suppliers: [...new Set(own.flatMap((line) => line.supplier_name ?? []))],
        lines: own.length,
        open: sumOf(own.map((line) => line.quantity_open)),
      },
    ];
  });
}

/** The overdue lines, and a calendar of expected arrivals. */
export function ArrivalsPage() {
  const { workspace } = usePlace();
  const today = useToday();
  const { month = today.slice(0, 7), view } = useSearch({ from: "/inside/w/$workspace/arrivals" });
  const days = monthGrid(month);
  const [first = today, last = today] = [days[0], days.at(-1)];
  // Every month's page lists the overdue lines.
  const overdue = useQuery(arrivalsQuery(workspace.id, { until: shiftDay(today, -1) }));
  const coming = useQuery({
    ...arrivalsQuery(workspace.id, { since: first < today ? today : first, until: last }),
    enabled: last >= today,
    placeholderData: (before) => before,
  });
  const { error, refetch } = overdue.error ? overdue : coming;
  const data = overdue.data && (last < today ? [overdue.data] : coming.data && [overdue.data, coming.data]);
  const arrivals = data && byOrder(data.flatMap(({ items }) => items));
  const cut = data?.some((part) => part.cut) ?? false;
  const late = arrivals?.filter(({ day }) => day < today) ?? [];
  return (
    <Page
      title="Arrivals"
      description="Ordered lines that have not fully arrived, by expected day."
      actions={<ViewsButton of="arrivals" view={view} />}
    >
      {error && !data && <ErrorNote error={error} retry={refetch} />}
      {!arrivals && !error && <SkeletonText lines={8} label="Loading the arrivals" />}
      {arrivals && (
        <div className="flex flex-col gap-4">
          {cut && (
            <p className="text-muted">
              Only the first 2,000 overdue lines and the first 2,000 lines of the month are shown.
            </p>
          )}
          {late.length > 0 && <Overdue arrivals={late} list={{ error, refetch, live: { of: overdue } }} />}
          <Month month={month} view={view} arrivals={arrivals} today={today} />
        </div>
      )}
    </Page>
  );
}

interface OverdueProps {
  arrivals: readonly Arrival[];
  list: Pick<ListRows<Arrival>, "error" | "refetch" | "live">;
}

function Overdue({ arrivals, list }: OverdueProps) {
  const { locale } = useLocale();
  return (
    <DataList
      title={overdue({ count: arrivals.length }, locale)}
      caption="Overdue deliveries"
      noun="delivery"
      list={{ ...list, rows: arrivals, previous: false }}
      idOf={({ day, order }) => `${day} ${order}`}
      nameOf={({ order }) => order}
      columns={overdueColumns}
      file={fileColumns}
      card={(arrival) => <ArrivalCard arrival={arrival} late />}
      empty={null}
    />
  );
}

const overdueColumns: Column<Arrival>[] = [
  { id: "order", head: "Order", cell: ({ order }) => <OrderLink order={order} /> },
  {
    id: "suppliers",
    head: "Suppliers",
    className: "max-w-0 truncate text-muted lg:w-1/3",
    cell: ({ suppliers }) => suppliers.join(", ") || "No supplier",
  },
  { id: "open", head: "Open", num: true, cell: ({ open }) => <Num value={open} /> },
  { id: "lines", head: "Lines", num: true, cell: ({ lines }) => <Num value={lines} /> },
  { id: "day", head: "Expected", cell: ({ day }) => <Day day={day} late /> },
];

const fileColumns: FileColumn<Arrival>[] = [
  { name: "Order", value: ({ order }) => order },
  { name: "Suppliers", value: ({ suppliers }) => suppliers.join(", ") },
  { name: "Open", value: ({ open }) => open },
  { name: "Lines", value: ({ lines }) => lines },
  { name: "Expected", value: ({ day }) => day },
];

function ArrivalCard({ arrival, late }: { arrival: Arrival; late?: boolean }) {
  const { locale } = useLocale();
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4">
      <span className="min-w-0">
        <OrderLink order={arrival.order} />
        <span className="ml-2 text-muted">{arrival.suppliers.join(", ") || "No supplier"}</span>
      </span>
      <span className="flex gap-4 text-muted">
        <span>{openInLines({ open: formatNumber(arrival.open, locale), count: arrival.lines }, locale)}</span>
        {late && <Day day={arrival.day} late />}
      </span>
    </div>
  );
}

function OrderLink({ order, className }: { order: string; className?: string }) {
  const { workspace } = usePlace();
  return (
    <Link
      to="/w/$workspace/purchase-orders/$order"
      params={{ workspace: workspace.id, order }}
      className={cx("break-all rounded-sm font-medium text-accent-ink hover:underline", className)}
    >
      {order}
    </Link>
  );
}

interface MonthProps {
  month: string;
  view?: string | undefined;
  arrivals: readonly Arrival[];
  today: string;
}

function Month({ month, view, arrivals, today }: MonthProps) {
  const { workspace } = usePlace();
  const { locale } = useLocale();
  const narrow = !useWide("md");
  const go = useNavigate();
  const show = (next: string) =>
    void go({
      to: "/w/$workspace/arrivals",
      params: { workspace: workspace.id },
      search: { ...(next !== today.slice(0, 7) && { month: next }), ...(view && { view }) },
      replace: true,
    });
  const inMonth = arrivals.filter(({ day }) => day.startsWith(month));
  return (
    <Card
      flush
      title={formatDay(`${month}-01`, locale, { month: "long", year: "numeric" })}
      actions={
        <>
          <IconButton
            label="Previous month"
            icon={<ChevronLeft />}
            onClick={() => show(shiftMonth(month, -1))}
          />
          <Button onClick={() => show(today.slice(0, 7))}>Today</Button>
          <IconButton label="Next month" icon={<ChevronRight />} onClick={() => show(shiftMonth(month, 1))} />
        </>
      }
    >
      {narrow ? (
        <MonthList arrivals={inMonth} today={today} />
      ) : (
        <MonthGrid month={month} arrivals={arrivals} today={today} />
      )}
      {inMonth.length === 0 && (
        <EmptyState
          icon={<CalendarDays aria-hidden />}
          action={
            <Link
              to="/w/$workspace/purchase-orders"
              params={{ workspace: workspace.id }}
              className={buttonClass("secondary")}
            >
              Purchase orders
            </Link>
          }
          docs={{ href: "/docs/purchasing", label: "Where these days come from" }}
        >
          Nothing is expected this month.
        </EmptyState>
      )}
    </Card>
  );
}

function MonthList({ arrivals, today }: Omit<MonthProps, "month">) {
  const { locale } = useLocale();
  const days = Map.groupBy(arrivals, ({ day }) => day);
  return [...days].map(([day, own]) => (
    <section key={day} className="border-line border-b last:border-b-0">
      <h3
        className={cx("bg-sunken px-4 py-1 font-medium text-xs", day < today ? "text-bad-ink" : "text-muted")}
      >
        {formatDay(day, locale, { weekday: "short", day: "numeric", month: "short" })}
        {day < today && " · overdue"}
        {day === today && " · today"}
      </h3>
      <ul className="divide-y divide-line">
        {own.map((arrival) => (
          <li key={arrival.order} className="px-4 py-2">
            <ArrivalCard arrival={arrival} />
          </li>
        ))}
      </ul>
    </section>
  ));
}

// More would make one day as tall as the whole month.
const maxInDay = 4;

function MonthGrid({ month, arrivals, today }: MonthProps) {
  const { locale } = useLocale();
  const days = monthGrid(month);
  const byDay = Map.groupBy(arrivals, ({ day }) => day);
  const weeks = Array.from({ length: days.length / 7 }, (_, week) => days.slice(week * 7, week * 7 + 7));
  return (
    <table className="w-full table-fixed border-collapse text-xs">
      <caption className="sr-only">Expected arrivals by day</caption>
      <thead>
        <tr>
          {weeks[0]?.map((day) => (
            <th
              key={day}
              scope="col"
              className="border-line border-b bg-sunken py-1.5 font-medium text-muted"
            >
              {formatDay(day, locale, { weekday: "short" })}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeks.map((week) => (
          <tr key={week[0]}>
            {week.map((day) => {
              const own = byDay.get(day) ?? [];
              return (
                <td
                  key={day}
                  className={cx(
                    "h-20 border-line border-t border-l p-1.5 align-top first:border-l-0",
                    !day.startsWith(month) && "bg-canvas",
                  )}
                >
                  <time
                    dateTime={day}
                    className={cx(
                      "mb-0.5 inline-grid min-w-5 place-items-center rounded-full px-1 tabular-nums",
                      day === today ? "bg-accent font-semibold text-on-accent" : "text-muted",
                    )}
                  >
                    {Number(day.slice(8))}
                  </time>
                  <ul className="flex flex-col gap-0.5">
                    {own.slice(0, maxInDay).map((arrival) => (
                      <li key={arrival.order} className="truncate" title={arrival.suppliers.join(", ")}>
                        <OrderLink order={arrival.order} className={day < today ? "text-bad-ink" : ""} />{" "}
                        <Num value={arrival.open} className="text-muted" />
                        {day < today && <span className="sr-only"> overdue</span>}
                      </li>
                    ))}
                    {own.length > maxInDay && (
                      <li className="text-muted">{more({ count: own.length - maxInDay }, locale)}</li>
                    )}
                  </ul>
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
