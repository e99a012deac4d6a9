import type { OrderExchange } from "@/api/types.gen";
import { Card } from "@/ui/card";
import { Time } from "@/ui/time";
import { StateBadge } from "./state-badge";
import { states } from "./words";

/** How an order stands with one connected system. */
export function OrderPanel({ of: { exchange } }: { of: OrderExchange }) {
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
