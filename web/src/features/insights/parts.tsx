import { Link } from "@tanstack/react-router";
import { ChartLine, CircleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { useLocale } from "@/lib/locale";
import { usePlace } from "@/lib/session";
import { formatDay } from "@/lib/time";
import { leftOut, unconverted, unmatched } from "@/messages/insights";
import { buttonClass } from "@/ui/button";
import { Card } from "@/ui/card";
import type { Target } from "@/ui/chart";
import { EmptyState } from "@/ui/empty-state";
import { ErrorNote } from "@/ui/error-note";
import { DayField } from "@/ui/filter";
import { LiveNote } from "@/ui/live-note";
import { SkeletonText } from "@/ui/skeleton";
import { Time } from "@/ui/time";
import { rowsOf } from "./links";
import { useFigures, useInsights } from "./queries";

export const linkClass = "rounded-sm text-accent-ink hover:underline";

export function To({ to, children }: { to: Target; children: ReactNode }) {
  return (
    <Link {...to} className={linkClass}>
      {children}
    </Link>
  );
}

/** How current the figures are, and what is missing in them. Every insight has it. */
export function DataAsOf({ demand = false }: { demand?: boolean }) {
  const { workspace } = usePlace();
  const { locale } = useLocale();
  const { data, error } = useFigures();
  if (!data)
    return (
      <p className="min-h-5 text-muted">{error ? "How current these figures are could not be read." : ""}</p>
    );
  const { read_to, computing, demand_as_of, unmatched_lines, unconverted_lines, unconverted_currencies } =
    data;
  const { left_out_lines } = data;
  const orders = rowsOf(workspace.id, "orders", {
    filters: { currency: { in: unconverted_currencies }, base_total: { empty: true } },
  });
  return (
    <p className="flex min-h-5 flex-wrap gap-x-4 gap-y-0.5 text-muted" data-figures>
      {computing ? (
        <span className="text-warn-ink">Figures are being computed again; some may be missing or old.</span>
      ) : (
        read_to && (
          <span>
            Sales as of <Time inline value={read_to} />
          </span>
        )
      )}
      {demand && (
        <span>
          {demand_as_of ? `Demand as of ${formatDay(demand_as_of, locale)}` : "Demand was not computed yet"}
        </span>
      )}
      {unmatched_lines > 0 && (
        <span className="flex items-center gap-1">
          <CircleAlert className="size-3.5 shrink-0 text-warn-ink" aria-hidden />
          <To to={rowsOf(workspace.id, "unmatched_lines")}>
            {unmatched({ count: unmatched_lines }, locale)}
          </To>
        </span>
      )}
      {unconverted_lines > 0 && (
        <span className="flex items-center gap-1">
          <CircleAlert className="size-3.5 shrink-0 text-warn-ink" aria-hidden />
          <To to={orders}>
            {unconverted({ count: unconverted_lines, currencies: unconverted_currencies.join(", ") }, locale)}
          </To>
        </span>
      )}
      {left_out_lines > 0 && (
        <span className="flex items-center gap-1">
          <CircleAlert className="size-3.5 shrink-0 text-warn-ink" aria-hidden />
          {leftOut({ count: left_out_lines }, locale)}
        </span>
      )}
    </p>
  );
}

/** The day as of which an insight is computed. */
export function AsOfField({ shown }: { shown: string | undefined }) {
  const [{ as_of }, change] = useInsights();
  return (
    <span className="flex items-center gap-1.5 whitespace-nowrap text-muted">
      <span aria-hidden>As of</span>
      {/* An emptied field means today. */}
      <DayField label="As of" day={as_of ?? shown} onChange={(day) => change({ as_of: day })} />
    </span>
  );
}

interface InsightProps<T> {
  of: {
    data: T | undefined;
    error: unknown;
    fetchStatus: string;
    dataUpdatedAt: number;
    refetch: () => unknown;
  };
  /** Whether there is nothing to show. */
  empty: (data: T) => boolean;
  /** What is missing then, in one sentence. */
  missing: string;
  children: (data: T) => ReactNode;
}

/** The states of every insight: loading, failed, nothing sold yet, could not be refreshed. */
export function Insight<T>({ of, empty, missing, children }: InsightProps<T>) {
  const { data, error, refetch } = of;
  if (data === undefined)
    return error ? (
      <ErrorNote error={error} retry={refetch} />
    ) : (
      <SkeletonText lines={10} label="Loading the figures" />
    );
  return (
    <div className="min-w-0">
      <LiveNote of={of} />
      <div className="flex flex-col gap-4">{empty(data) ? <Nothing>{missing}</Nothing> : children(data)}</div>
    </div>
  );
}

function Nothing({ children }: { children: string }) {
  const { workspace } = usePlace();
  return (
    <Card>
      <EmptyState
        icon={<ChartLine aria-hidden />}
        action={
          <Link
            to="/w/$workspace/sources"
            params={{ workspace: workspace.id }}
            className={buttonClass("primary")}
          >
            Connect a system
          </Link>
        }
        docs={{ href: "/docs/insights", label: "What insights need" }}
      >
        {children}
      </EmptyState>
    </Card>
  );
}
