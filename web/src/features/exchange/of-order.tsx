import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { getOrderExchangeOptions } from "@/api/@tanstack/react-query.gen";
import { usePlace } from "@/lib/session";

// Loaded on demand: most workspaces have no connection.
const OrderPanel = lazy(async () => ({ default: (await import("./order-panel")).OrderPanel }));
const OrderConflicts = lazy(async () => ({ default: (await import("./order-conflicts")).OrderConflicts }));

/** How soon the page shows what came of a comparison. */
const every = { waiting: 3_000, settled: 20_000 };

interface OfOrderProps {
  order: string;
  /** Shows only the conflicts, which belong above the lines; otherwise all but them. */
  asks?: boolean;
}

/** How an order stands with the systems that it is exchanged with. Shows nothing if there are none. */
export function OfOrder({ order, asks }: OfOrderProps) {
  const { workspace } = usePlace();
  const { data } = useQuery({
    ...getOrderExchangeOptions({ path: { workspace: workspace.id, order } }),
    refetchInterval: ({ state: { data } }) =>
      data?.items.some(({ exchange }) => exchange.state === "waiting") ? every.waiting : every.settled,
  });
  const shown = data?.items.filter(({ conflicts }) => !asks || conflicts.length > 0) ?? [];
  const Part = asks ? OrderConflicts : OrderPanel;
  return shown.map((one) => (
    <Suspense key={one.exchange.connection_id}>
      <Part of={one} />
    </Suspense>
  ));
}
