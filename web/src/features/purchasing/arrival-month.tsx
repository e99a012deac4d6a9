import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { CalendarDays, ChevronLeft, ChevronRight } from "lucide-react";
import type { Line } from "@/api/types.gen";
import { cx } from "@/lib/cx";
import { formatNumber } from "@/lib/format";
import { useLocale } from "@/lib/locale";
import { useWide } from "@/lib/media";
import { usePlace } from "@/lib/session";
import { formatDay } from "@/lib/time";
import { more, openInLines } from "@/messages/purchasing";
import { Button, buttonClass } from "@/ui/button";
import { Card } from "@/ui/card";
import { EmptyState } from "@/ui/empty-state";
import { IconButton } from "@/ui/icon-button";
import { Num } from "@/ui/num";
import { suppliersOf } from "./arrival-groups";
import { monthGrid, shiftMonth } from "./calendar";
import { sumOf } from "./model";
import { OrderLink } from "./parts";

/** The lines of one order that are expected on one day. */
interface Arrival {
  order: string;
  day: string;
  suppliers: string[];
  lines: number;
  open: string;
}

export function byDayAndOrder(lines: readonly Line[]): Arrival[] {
  const groups = Map.groupBy(lines, (line) => JSON.stringify([line.expected_arrival_date, line.order_no]));
  return [...groups.values()].flatMap((own) => {
    const first = own[0];
    if (!first?.expected_arrival_date) return [];
    return [
      {
        order: first.order_no,
        day: first.expected_arrival_date,
        suppliers: suppliersOf(own),
        lines: own.length,
        open: sumOf(own.map((line) => line.quantity_open)),
      },
    ];
  });
}

function ArrivalCard({ arrival }: { arrival: Arrival }) {
  const { locale } = useLocale();
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4">
      <span className="min-w-0">
        <OrderLink order={arrival.order} />
        <span className="ml-2 text-muted">{arrival.suppliers.join(", ") || "No supplier"}</span>
      </span>
      <span className="text-muted">
        {openInLines({ open: formatNumber(arrival.open, locale), count: arrival.lines }, locale)}
      </span>
    </div>
  );
}

interface MonthProps {
  month: string;
  arrivals: readonly Arrival[];
  today: string;
}

/** A month's expected arrivals: as a calendar, or as a list on a phone. */
export function Month({ month, arrivals, today }: MonthProps) {
  const { workspace } = usePlace();
  const { month: _, ...search } = useSearch({ from: "/inside/w/$workspace/arrivals" });
  const { locale } = useLocale();
  const narrow = !useWide("md");
  const go = useNavigate();
  const show = (next: string) =>
    void go({
      to: "/w/$workspace/arrivals",
      params: { workspace: workspace.id },
      search: { ...search, ...(next !== today.slice(0, 7) && { month: next }) },
      replace: true,
    });
  const inMonth = arrivals.filter(({ day }) => day.startsWith(month));
  return (
    <Card
      id="month"
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
