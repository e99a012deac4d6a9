import type { OrderExchange } from "@/api/types.gen";
import { usePlace } from "@/lib/session";
import { Card } from "@/ui/card";
import { ConflictRow } from "./conflict-row";
import { useDecide } from "./use-decide";

/** The conflicts of an order with one connected system. */
export function OrderConflicts({ of: { exchange, conflicts } }: { of: OrderExchange }) {
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
