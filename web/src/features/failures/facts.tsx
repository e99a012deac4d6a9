import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Failure } from "@/api/types.gen";
import { keysQuery } from "@/features/keys/queries";
import { useAgentName, useMemberName } from "@/features/members/queries";
import { usePlace } from "@/lib/session";
import { came } from "@/messages/failure";
import { CopyButton } from "@/ui/copy-button";
import { Time } from "@/ui/time";
import { Part } from "./part";
import { views } from "./use-search";

/** When the record was received, how often, and from whom. */
export function Facts({ failure }: { failure: Failure }) {
  const { workspace } = usePlace();
  return (
    <Part title="Details">
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1">
        <Fact name="Status code">{failure.http_status}</Fact>
        <Fact name="Received">
          {came({ count: failure.seen }, workspace.locale)},{" "}
          {failure.seen > 1 && (
            <>
              first <Time inline value={failure.first_seen_at} />, last{" "}
            </>
          )}
          <Time value={failure.last_seen_at} />
        </Fact>
        {failure.by_type === "key" ? (
          <Fact name="API key">
            <KeyName failure={failure} />
          </Fact>
        ) : (
          <Fact name="Sent by">
            <Sender failure={failure} />
          </Fact>
        )}
        {failure.sequence && (
          <Fact name="Sequence">
            <code className="font-mono text-xs">{failure.sequence}</code>
          </Fact>
        )}
        <Fact name="Request">
          <code className="min-w-0 truncate font-mono text-xs">{failure.request_id}</code>
          <CopyButton value={failure.request_id} label="Copy the request id" />
        </Fact>
      </dl>
    </Part>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-subtle">{name}</dt>
      <dd className="flex min-w-0 flex-wrap items-center gap-x-1">{children}</dd>
    </>
  );
}

/** The sender: a person who imported a file, an agent, or a sync. */
function Sender({ failure }: { failure: Failure }) {
  const [memberName, agentName] = [useMemberName(), useAgentName()];
  if (failure.by_type === "sync") return "a sync";
  return (failure.by_type === "agent" ? agentName : memberName)(failure.by_id);
}

function KeyName({ failure }: { failure: Failure }) {
  const { workspace, can } = usePlace();
  const { data } = useQuery({
    ...keysQuery(workspace.id),
    enabled: can("manage_keys"),
    refetchInterval: false,
  });
  const key = data?.items.find((one) => one.id === failure.key_id);
  return (
    <Link
      to={views.rows}
      params={{ workspace: workspace.id }}
      search={{ key: failure.key_id }}
      className="rounded-sm text-accent-ink hover:underline"
      title="All open failed imports of this key"
    >
      {key?.label ?? `Key ${failure.key_id.slice(-6)}`}
    </Link>
  );
}
