import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Plug, Plus } from "lucide-react";
import { useState } from "react";
import { listConnectionsOptions } from "@/api/@tanstack/react-query.gen";
import type { Connection } from "@/api/types.gen";
import { usePlace } from "@/lib/session";
import { useShortcuts } from "@/lib/shortcuts";
import { Badge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { EmptyState } from "@/ui/empty-state";
import { ErrorNote } from "@/ui/error-note";
import { lazyDialog } from "@/ui/lazy-dialog";
import { LiveNote } from "@/ui/live-note";
import { Page } from "@/ui/page";
import { SkeletonText } from "@/ui/skeleton";
import { refreshEvery } from "./queries";
import { may, stateWords } from "./words";

const ConnectDialog = lazyDialog(async () => (await import("./connect-dialog")).ConnectDialog);

/** The connections to other systems. */
export function ConnectionsPage() {
  const { workspace, can } = usePlace();
  const allowed = can("manage_connections");
  const list = useQuery({
    ...listConnectionsOptions({ path: { workspace: workspace.id } }),
    refetchInterval: refreshEvery,
    enabled: allowed,
  });
  const [connecting, setConnecting] = useState(false);
  // There is one system to connect, and one connection for each.
  const first = list.data?.items.length === 0;
  useShortcuts(first ? [{ keys: "n", label: "Connect a system", run: () => setConnecting(true) }] : []);
  if (!allowed)
    return (
      <Page title="Connections">
        <p className="text-base text-muted">Only Company-Admins can connect other systems.</p>
      </Page>
    );
  return (
    <Page title="Connections" description="Other systems that purchase orders are kept the same with.">
      {list.error && !list.data && <ErrorNote error={list.error} retry={list.refetch} />}
      <LiveNote of={list} />
      {!list.data && !list.error && <SkeletonText lines={4} label="Loading the connections" />}
      {first && (
        <Card>
          <EmptyState
            icon={<Plug aria-hidden />}
            action={
              <Button variant="primary" icon={<Plus aria-hidden />} onClick={() => setConnecting(true)}>
                Connect Katana
              </Button>
            }
            docs={{ href: "/docs/connections", label: "How connections work" }}
          >
            Connect your inventory system: orders made here appear there, and what arrives there is booked
            here. Nothing is written before you start it.
          </EmptyState>
        </Card>
      )}
      <ul className="flex flex-col gap-3">
        {list.data?.items.map((one) => (
          <li key={one.id}>
            <ConnectionCard connection={one} />
          </li>
        ))}
      </ul>
      {connecting && <ConnectDialog onClosed={() => setConnecting(false)} />}
    </Page>
  );
}

function ConnectionCard({ connection }: { connection: Connection }) {
  const { workspace } = usePlace();
  const { label, tone } = stateWords[connection.state];
  return (
    <Card>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Link
          to="/w/$workspace/connections/$connection"
          params={{ workspace: workspace.id, connection: connection.id }}
          className="rounded-sm font-semibold text-accent-ink text-base hover:underline"
        >
          {connection.name}
        </Link>
        <Badge tone={tone}>{label}</Badge>
        <span className="text-muted">{may(connection)}</span>
        <span className="min-w-0 basis-full truncate text-muted text-xs">{connection.address}</span>
        {connection.paused_because && (
          <span className="basis-full text-warn-ink">{connection.paused_because}</span>
        )}
      </div>
    </Card>
  );
}
