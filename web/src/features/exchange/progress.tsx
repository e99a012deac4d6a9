import { useQuery } from "@tanstack/react-query";
import { CircleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { getExchangeOptions } from "@/api/@tanstack/react-query.gen";
import type { Exchange } from "@/api/types.gen";
import { cx } from "@/lib/cx";
import { useLocale } from "@/lib/locale";
import { usePlace } from "@/lib/session";
import { comparedAll } from "@/messages/exchange";
import { Card } from "@/ui/card";
import { ErrorNote } from "@/ui/error-note";
import { Num } from "@/ui/num";
import { SkeletonText } from "@/ui/skeleton";
import { Time } from "@/ui/time";
import { allStates, type OrderState, states } from "./words";

/** More often while something is under way. */
const every = { waiting: 3_000, settled: 15_000 };

export function useExchange(connection: string) {
  const { workspace } = usePlace();
  return useQuery({
    ...getExchangeOptions({ path: { workspace: workspace.id, connection } }),
    refetchInterval: ({ state: { data } }) => (data?.orders.waiting ? every.waiting : every.settled),
  });
}

interface ProgressProps {
  connection: string;
  state: OrderState | undefined;
  onState: (state: OrderState | undefined) => void;
}

/** How many orders are in each state, which filters the list below, and when what was last done. */
export function Progress({ connection, state, onState }: ProgressProps) {
  const { data, error, refetch } = useExchange(connection);
  if (error && !data) return <ErrorNote error={error} retry={refetch} />;
  if (!data) return <SkeletonText lines={3} label="Loading the progress" />;
  return (
    <Card>
      <fieldset className="grid grid-cols-2 gap-2 sm:grid-cols-3 lg:grid-cols-6">
        <legend className="sr-only">Orders by state</legend>
        {allStates.map((one) => (
          <button
            key={one}
            type="button"
            aria-pressed={one === state}
            title={states[one].about}
            onClick={() => onState(one === state ? undefined : one)}
            className={cx(
              "flex min-h-11 flex-col items-start rounded-md border border-line px-3 py-2 text-left hover:bg-hover",
              "aria-pressed:border-accent-ink aria-pressed:bg-accent-soft",
            )}
          >
            <span className="text-muted text-xs">{states[one].label}</span>
            <Num value={data.orders[one] ?? 0} className={cx("font-semibold text-lg", tone(one, data))} />
          </button>
        ))}
      </fieldset>
      <Facts of={data} />
    </Card>
  );
}

function tone(state: OrderState, { orders }: Exchange): string | undefined {
  if (!orders[state]) return "text-subtle";
  if (states[state].tone === "bad") return "text-bad-ink";
  return states[state].tone === "warn" ? "text-warn-ink" : undefined;
}

function Facts({ of }: { of: Exchange }) {
  const { locale } = useLocale();
  const { orders, differ, only_here, only_there } = of.reconcile ?? {};
  const compared =
    typeof orders === "number"
      ? comparedAll({ orders, differ: sum(differ, only_here, only_there) }, locale)
      : undefined;
  return (
    <>
      {of.poll_message && (
        <p className="mt-3 flex items-start gap-2 rounded-md bg-warn-soft px-3 py-2 text-warn-ink">
          <CircleAlert className="mt-0.5 size-4 shrink-0" aria-hidden />
          <span className="first-letter:uppercase">{of.poll_message}</span>
        </p>
      )}
      <dl className="mt-3 grid gap-x-6 gap-y-1 sm:grid-cols-2 lg:grid-cols-3">
        <Fact name="Last in sync">{moment(of.last_synced, "never")}</Fact>
        <Fact name="Next comparison">{moment(of.first_due, "nothing waits")}</Fact>
        <Fact name="Last asked for changes">{moment(of.polled_at, "never")}</Fact>
        <Fact name="All orders compared">
          {moment(of.reconciled_at, "never")}
          {of.reconciled_at && compared && <>: {compared}</>}
        </Fact>
        <Fact name="Calls a minute, at most">
          <Num value={of.calls_per_minute} />
        </Fact>
      </dl>
    </>
  );
}

const sum = (...counts: unknown[]) =>
  counts.reduce<number>((all, one) => all + (typeof one === "number" ? one : 0), 0);

const moment = (at: string | undefined, none: string) => (at ? <Time inline value={at} /> : none);

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex flex-wrap gap-x-2">
      <dt className="text-muted">{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
