import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Pause, Play, RotateCw } from "lucide-react";
import { listExchangeAttemptsInfiniteOptions } from "@/api/@tanstack/react-query.gen";
import type { ExchangeAttempt, ExchangeOrder } from "@/api/types.gen";
import { useActors } from "@/features/purchasing/queries";
import { cx } from "@/lib/cx";
import { formatNumber } from "@/lib/format";
import { useLocale } from "@/lib/locale";
import { usePlace } from "@/lib/session";
import { Badge } from "@/ui/badge";
import { Button, buttonClass } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { ErrorNote } from "@/ui/error-note";
import { SkeletonText } from "@/ui/skeleton";
import { Time } from "@/ui/time";
import { StateBadge } from "./state-badge";
import { useOrderMoves } from "./use-order";
import { outcomes, states } from "./words";

const pageSize = 20;
const refreshEvery = 5_000;

interface OrderDrawerProps {
  order: ExchangeOrder;
  onClosed: () => void;
}

/** One order of a connection: how it stands, what came of each comparison, and what can be done. */
export function OrderDrawer({ order, onClosed }: OrderDrawerProps) {
  const { busy, pause, resume, retry } = useOrderMoves(order);
  const { workspace } = usePlace();
  const named = useActors();
  const paused = order.state === "paused";
  const by = order.paused_by;
  return (
    <Dialog
      title={order.order_no}
      description={`With ${order.connection}${order.external_id ? `, where its id is ${order.external_id}` : ""}`}
      placement="right"
      size="md"
      open
      onOpenChange={(open) => !open && onClosed()}
    >
      <div className="flex flex-col gap-5">
        <div className="flex flex-wrap items-center gap-2">
          <StateBadge state={order.state} />
          {paused ? (
            <Button size="sm" icon={<Play aria-hidden />} loading={busy} onClick={resume}>
              Resume
            </Button>
          ) : (
            <>
              <Button size="sm" icon={<RotateCw aria-hidden />} disabled={busy} onClick={retry}>
                {order.state === "failed" || order.state === "held" ? "Retry" : "Compare now"}
              </Button>
              <Button size="sm" icon={<Pause aria-hidden />} disabled={busy} onClick={pause}>
                Pause
              </Button>
            </>
          )}
          <Link
            to="/w/$workspace/purchase-orders/$order"
            params={{ workspace: workspace.id, order: order.order_no }}
            className={cx(buttonClass("ghost", "sm"), "ml-auto")}
          >
            Open the order
          </Link>
        </div>
        <div className="flex flex-col gap-1">
          <p className="first-letter:uppercase">{order.message || states[order.state].about}</p>
          {paused && by && (
            <p className="text-muted">Paused by {named({ by_type: by.type, by_id: by.id ?? "" })}</p>
          )}
          {order.notices.map(({ code, text }) => (
            <p key={code} className="text-muted">
              {text}
            </p>
          ))}
        </div>
        <Attempts order={order} />
      </div>
    </Dialog>
  );
}

function Attempts({ order }: { order: ExchangeOrder }) {
  const { workspace } = usePlace();
  const path = { workspace: workspace.id, connection: order.connection_id, order: order.order_no };
  const list = useInfiniteQuery({
    ...listExchangeAttemptsInfiniteOptions({ path, query: { limit: pageSize } }),
    initialPageParam: { path },
    getNextPageParam: (last) => last.next_cursor,
    refetchInterval: ({ state: { data } }) => (data?.pages.length ?? 0) < 2 && refreshEvery,
  });
  const attempts = list.data?.pages.flatMap(({ items }) => items);
  return (
    <section aria-labelledby="attempts">
      <h3 id="attempts" className="mb-2 font-semibold">
        Comparisons
      </h3>
      {list.error && !attempts && <ErrorNote error={list.error} retry={list.refetch} />}
      {!attempts && !list.error && <SkeletonText lines={4} label="Loading the comparisons" />}
      {attempts?.length === 0 && <p className="text-muted">None has done anything yet.</p>}
      {attempts && attempts.length > 0 && (
        <ol aria-label="Comparisons" className="flex flex-col gap-3 border-line border-l pl-4">
          {attempts.map((one) => (
            <Attempt key={one.id} attempt={one} system={order.connection} />
          ))}
        </ol>
      )}
      {list.hasNextPage && (
        <Button
          size="sm"
          className="mt-3"
          loading={list.isFetchingNextPage}
          onClick={() => void list.fetchNextPage()}
        >
          Show more
        </Button>
      )}
    </section>
  );
}

function Attempt({ attempt, system }: { attempt: ExchangeAttempt; system: string }) {
  const { locale } = useLocale();
  const { label, tone } = outcomes[attempt.outcome] ?? { label: attempt.outcome, tone: "neutral" };
  const seconds = formatNumber((attempt.took_ms / 1000).toFixed(1), locale);
  return (
    <li>
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <Badge tone={tone}>{label}</Badge>
        <span className="text-muted text-xs">
          <Time inline value={attempt.at} />, {seconds} s
        </span>
      </p>
      {attempt.message && <p className="mt-0.5 break-words first-letter:uppercase">{attempt.message}</p>}
      <Written title="Written here" what={attempt.here} />
      <Written title={`Written in ${system}`} what={attempt.there} />
    </li>
  );
}

function Written({ title, what }: { title: string; what: readonly string[] }) {
  if (what.length === 0) return null;
  return (
    <p className="mt-0.5 break-words text-muted">
      {title}: <span className="text-ink">{what.join("; ")}</span>
    </p>
  );
}
