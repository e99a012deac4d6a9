import { useQuery } from "@tanstack/react-query";
import { getTodayOptions } from "@/api/@tanstack/react-query.gen";
import type { Today } from "@/api/types.gen";
import { StaleNote } from "@/features/procurement/stale";
import { useLocale } from "@/lib/locale";
import { usePlace } from "@/lib/session";
import { dateFormat } from "@/lib/time";
import { Card } from "@/ui/card";
import { ErrorNote } from "@/ui/error-note";
import { LiveNote } from "@/ui/live-note";
import { Page } from "@/ui/page";
import { SkeletonText } from "@/ui/skeleton";
import { DataHealth } from "./data-health";
import { Deliveries } from "./deliveries";
import { Agents, Yesterday } from "./figures";
import { FirstSteps } from "./first-steps";
import { ToOrder } from "./to-order";
import { Yours } from "./yours";

const refreshEvery = 60_000;

/** The first page of a workspace: what there is to do, by what the person's role allows. */
export function TodayPage() {
  const { workspace } = usePlace();
  const { locale, timeZone } = useLocale();
  const query = useQuery({
    ...getTodayOptions({ path: { workspace: workspace.id } }),
    refetchInterval: refreshEvery,
    staleTime: 0, // who comes back from a list has worked it off
  });
  const { data, error, refetch } = query;
  const day = dateFormat(locale, { weekday: "long", day: "numeric", month: "long", timeZone });
  return (
    <Page title="Today" description={day.format(new Date())}>
      {error && !data && <ErrorNote error={error} retry={refetch} />}
      <LiveNote of={query} />
      {!data && !error && <Loading />}
      {data && <Sections today={data} />}
    </Page>
  );
}

function Sections({ today }: { today: Today }) {
  return (
    <div className="flex flex-col gap-4">
      {!today.flows && <FirstSteps />}
      <StaleNote stale={today.stale} />
      {today.data && <DataHealth data={today.data} />}
      <div className="grid grid-flow-row-dense gap-4 lg:grid-cols-2">
        <Yours today={today} />
        <ToOrder suggested={today.to_order} />
        <Deliveries deliveries={today.deliveries} />
        {today.yesterday && <Yesterday yesterday={today.yesterday} />}
        <Agents agents={today.agents} />
      </div>
    </div>
  );
}

function Loading() {
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      {["Loading what is yours", "Loading what to order", "Loading the deliveries"].map((label) => (
        <Card key={label}>
          <SkeletonText lines={4} label={label} />
        </Card>
      ))}
    </div>
  );
}
