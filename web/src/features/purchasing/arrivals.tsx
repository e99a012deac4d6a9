import { useQueries, useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { ScanBarcode } from "lucide-react";
import { summarizeArrivalsOptions } from "@/api/@tanstack/react-query.gen";
import type { Deliveries } from "@/api/types.gen";
import { ViewsButton } from "@/features/views/views-button";
import { cx } from "@/lib/cx";
import { useLocale } from "@/lib/locale";
import { usePlace } from "@/lib/session";
import { cutGroups } from "@/messages/purchasing";
import { ordersAndLines } from "@/messages/today";
import { buttonClass } from "@/ui/button";
import { ErrorNote } from "@/ui/error-note";
import { Page } from "@/ui/page";
import { SkeletonText } from "@/ui/skeleton";
import { deliveriesOf, spanOf } from "./arrival-groups";
import { DeliveryList } from "./arrival-list";
import { byDayAndOrder, Month } from "./arrival-month";
import { monthGrid } from "./calendar";
import { groupNames, groups } from "./groups";
import { Totals } from "./parts";
import { arrivalsQuery, useToday } from "./queries";

/** How many deliveries of each group are shown as long as no group is chosen. */
const maxShown = 5;

/** What is late, due, or without a day, to be asked for; and a calendar of expected arrivals. */
export function ArrivalsPage() {
  const { workspace, can } = usePlace();
  const { locale } = useLocale();
  const today = useToday();
  const { month = today.slice(0, 7), view, group } = useSearch({ from: "/inside/w/$workspace/arrivals" });
  const summary = useQuery(summarizeArrivalsOptions({ path: { workspace: workspace.id } }));
  const wanted = groups.filter((one) => !group || one === group);
  const parts = useQueries({
    queries: wanted.map((one) => arrivalsQuery(workspace.id, spanOf(one, today))),
  });
  // The days of the month before today show what is late.
  const late = useQuery(arrivalsQuery(workspace.id, spanOf("late", today)));
  const days = monthGrid(month);
  const [first = today, last = today] = [days[0], days.at(-1)];
  const coming = useQuery({
    ...arrivalsQuery(workspace.id, { since: first < today ? today : first, until: last }),
    enabled: last >= today,
    placeholderData: (before) => before,
  });
  const failed = [summary, ...parts, late, coming].find(({ error, data }) => error && !data);
  const read = parts.every(({ data }) => data);
  const rows = wanted.flatMap((one, index) => {
    const data = parts[index]?.data;
    return data ? deliveriesOf(one, data).slice(0, group ? undefined : maxShown) : [];
  });
  const inMonth = late.data && (last < today ? [late.data] : coming.data && [late.data, coming.data]);
  const cut = wanted.filter((_, index) => parts[index]?.data?.cut).map((one) => groupNames[one]);
  if (inMonth?.some((part) => part.cut)) cut.push("the calendar");
  return (
    <Page
      title="Arrivals"
      description="Ordered lines that have not fully arrived, by expected day."
      actions={
        <>
          {can("receive_lines") && (
            <Link
              to="/w/$workspace/receive"
              params={{ workspace: workspace.id }}
              className={buttonClass("secondary")}
            >
              <ScanBarcode aria-hidden />
              Receive by barcode
            </Link>
          )}
          <ViewsButton of="arrivals" view={view} />
        </>
      }
    >
      {failed && <ErrorNote error={failed.error} retry={failed.refetch} />}
      {!failed && !(read && summary.data) && <SkeletonText lines={8} label="Loading the arrivals" />}
      <div className="flex flex-col gap-4">
        {summary.data && <Groups summary={summary.data} />}
        {cut.length > 0 && <p className="text-muted">{cutGroups({ names: cut.join(", ") }, locale)}</p>}
        {read && summary.data && (
          <DeliveryList
            rows={rows}
            group={group}
            summary={summary.data}
            list={{ error: late.error, refetch: late.refetch, live: { of: late } }}
          />
        )}
        {inMonth && (
          <Month
            month={month}
            arrivals={byDayAndOrder(inMonth.flatMap(({ items }) => items))}
            today={today}
          />
        )}
      </div>
    </Page>
  );
}

/** How much there is in each group; a press shows one of them alone. */
function Groups({ summary }: { summary: Deliveries }) {
  const { workspace } = usePlace();
  const { locale } = useLocale();
  const { group, ...search } = useSearch({ from: "/inside/w/$workspace/arrivals" });
  return (
    <nav aria-label="Deliveries by day" className="grid grid-cols-2 gap-2 sm:grid-cols-3 lg:grid-cols-5">
      {groups.map((one) => {
        const part = summary[one];
        return (
          <Link
            key={one}
            to="/w/$workspace/arrivals"
            params={{ workspace: workspace.id }}
            search={one === group ? search : { ...search, group: one }}
            replace
            resetScroll={false}
            aria-current={one === group ? "true" : undefined}
            className={cx(
              "flex min-h-11 min-w-0 flex-col rounded-lg border bg-surface px-3 py-2 shadow-card hover:border-edge",
              one === group ? "border-accent-ink" : "border-line",
            )}
          >
            <span className={cx("font-medium", one === "late" && part.lines > 0 && "text-bad-ink")}>
              {groupNames[one]}
            </span>
            {part.lines > 0 ? (
              <>
                <span className="text-muted text-xs">{ordersAndLines(part, locale)}</span>
                <Totals
                  totals={part.open.map(({ currency = "", amount }) => ({ currency, amount }))}
                  leftOut={part.left_out}
                  className="justify-start text-xs"
                />
              </>
            ) : (
              <span className="text-muted text-xs">none</span>
            )}
          </Link>
        );
      })}
    </nav>
  );
}
