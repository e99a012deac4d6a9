import { useQuery } from "@tanstack/react-query";
import { getOrderExchangeOptions } from "@/api/@tanstack/react-query.gen";
import type { OrderExchange } from "@/api/types.gen";
import { usePlace } from "@/lib/session";
import { Card } from "@/ui/card";
import { Time } from "@/ui/time";
import { ConflictRow } from "./conflict-row";
import { StateBadge } from "./state-badge";
import { useDecide } from "./use-decide";
import { states } from "./words";

/** How soon the page shows what came of a comparison. */
const every = { waiting: 3_000, settled: 20_000 };

interface OrderPanelProps {
  order: string;
  /** Shows only the conflicts, which belong above the lines; otherwise all but them. */
  asks?: boolean;
}

/** How an order stands with the systems that it is exchanged with. Shows nothing if there are none. */
export function OrderPanel({ order, asks }: OrderPanelProps) {
  const { workspace } = usePlace();
  const { data } = useQuery({
    ...getOrderExchangeOptions({ path: { workspace: workspace.id, order } }),
    refetchInterval: ({ state: { data } }) =>
      data?.items.some(({ exchange }) => exchange.state === "waiting") ? every.waiting : every.settled,
  });
  const Part = asks ? Conflicts : State;
  return data?.items.map((one) => <Part key={one.exchange.connection_id} of={one} />);
}

function Conflicts({ of: { exchange, conflicts } }: { of: OrderExchange }) {
  const { can } = usePlace();
  const { isGone, decide, deciding } = useDecide();
  const open = conflicts.filter((one) => !isGone(one));
  if (open.length === 0) return null;
  return (
    <Card
      flush
      className="mb-4"
      title={`Conflicts with ${exchange.connection}`}
      description={`Nothing of this order is written to ${exchange.connection} until this is decided.`}
    >
      <ul aria-label="Conflicts" className="divide-y divide-line">
        {open.map((one) => (
          <ConflictRow
            key={one.id}
            conflict={one}
            busy={deciding}
            decide={can("change_lines") ? (take) => decide([one], take) : undefined}
          />
        ))}
      </ul>
    </Card>
  );
}

function State({ of: { exchange } }: { of: OrderExchange }) {
  return (
    <Card
      className="mt-4"
      title={
        <span className="flex flex-wrap items-center gap-2">
          In {exchange.connection} <StateBadge state={exchange.state} />
        </span>
      }
    >
      <div className="flex flex-col gap-1 text-muted">
        <p className="first-letter:uppercase">
          {exchange.message ||
            (exchange.active ? states[exchange.state].about : "The connection is not in use.")}
        </p>
        {exchange.notices.map(({ code, text }) => (
          <p key={code}>{text}</p>
        ))}
        <p className="flex flex-wrap gap-x-4 text-xs">
          {exchange.synced_at && (
            <span>
              Last in sync <Time inline value={exchange.synced_at} />
            </span>
          )}
          {exchange.external_id && <span>Its id there: {exchange.external_id}</span>}
        </p>
      </div>
    </Card>
  );
}
