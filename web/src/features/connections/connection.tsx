import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { ChevronLeft } from "lucide-react";
import { getConnectionOptions } from "@/api/@tanstack/react-query.gen";
import type { Connection } from "@/api/types.gen";
import { useExchange } from "@/features/exchange/progress";
import { isOrderState } from "@/features/exchange/words";
import { usePlace } from "@/lib/session";
import { Badge } from "@/ui/badge";
import { ErrorNote } from "@/ui/error-note";
import { lazyPart } from "@/ui/lazy-part";
import { LiveNote } from "@/ui/live-note";
import { Page } from "@/ui/page";
import { SkeletonText } from "@/ui/skeleton";
import { type Tab, Tabs } from "@/ui/tabs";
import { Overview } from "./overview";
import { refreshEvery } from "./queries";
import { StartButton } from "./start";
import type { ConnectionSearch, ConnectionTab } from "./tabs";
import { stateWords } from "./words";

const OrderList = lazyPart(async () => (await import("@/features/exchange/order-list")).OrderList);
const ConflictList = lazyPart(async () => (await import("@/features/exchange/conflict-list")).ConflictList);
const MatchMap = lazyPart(async () => (await import("./map")).MatchMap);
const DryRun = lazyPart(async () => (await import("./dry-run")).DryRun);

/** One connection: how it and its orders stand, what is what on both sides, and what a sync would do. */
export function ConnectionPage() {
  const { workspace } = usePlace();
  const { connection } = useParams({ from: "/inside/w/$workspace/connections/$connection" });
  const query = useQuery({
    ...getConnectionOptions({ path: { workspace: workspace.id, connection } }),
    refetchInterval: refreshEvery,
  });
  const { data, error, refetch } = query;
  return (
    <Page
      title={data?.name ?? "Connection"}
      above={
        <Link
          to="/w/$workspace/connections"
          params={{ workspace: workspace.id }}
          className="-ml-1 inline-flex items-center gap-0.5 rounded-sm text-muted hover:text-ink"
        >
          <ChevronLeft className="size-4" aria-hidden />
          Connections
        </Link>
      }
      description={data && <Badge tone={stateWords[data.state].tone}>{stateWords[data.state].label}</Badge>}
      actions={data && data.state !== "active" && <StartButton connection={data} />}
    >
      {error && !data && <ErrorNote error={error} retry={refetch} />}
      <LiveNote of={query} />
      {!data && !error && <SkeletonText lines={8} label="Loading the connection" />}
      {data && <Parts connection={data} />}
    </Page>
  );
}

function Parts({ connection }: { connection: Connection }) {
  const { workspace } = usePlace();
  const { tab, state } = useSearch({ from: "/inside/w/$workspace/connections/$connection" });
  const { data: exchange } = useExchange(connection.id);
  const go = useNavigate();
  const look = (search: ConnectionSearch) =>
    void go({
      to: "/w/$workspace/connections/$connection",
      params: { workspace: workspace.id, connection: connection.id },
      search,
      replace: true,
      resetScroll: false,
    });
  const show = (next: ConnectionTab) => look(next === "overview" ? {} : { tab: next });
  // Further parts of a connection are added here.
  const tabs: Tab<ConnectionTab>[] = [
    { value: "overview", label: "Overview", panel: <Overview connection={connection} onShow={show} /> },
    {
      value: "orders",
      label: "Orders",
      panel: (
        <OrderList
          connection={connection.id}
          state={isOrderState(state) ? state : undefined}
          onState={(next) => look({ tab: "orders", ...(next && { state: next }) })}
        />
      ),
    },
    {
      value: "conflicts",
      label: "Conflicts",
      ...(exchange && { count: exchange.conflicts }),
      panel: <ConflictList connection={connection.id} />,
    },
    { value: "map", label: "Map", panel: <MatchMap connection={connection} /> },
    { value: "dry-run", label: "Dry run", panel: <DryRun connection={connection} /> },
  ];
  return (
    <Tabs label={`About ${connection.name}`} value={tab ?? "overview"} onValueChange={show} tabs={tabs} />
  );
}
