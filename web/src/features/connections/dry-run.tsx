import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { FlaskConical } from "lucide-react";
import { useState } from "react";
import { rehearseExchange } from "@/api/sdk.gen";
import type { Connection, Effect, Foreseen, Rehearsal } from "@/api/types.gen";
import { formatNumber } from "@/lib/format";
import { useLocale } from "@/lib/locale";
import { usePlace } from "@/lib/session";
import { lookedAt } from "@/messages/connections";
import { Badge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { EmptyState } from "@/ui/empty-state";
import { ErrorNote } from "@/ui/error-note";
import { Progress } from "@/ui/progress";
import { Time } from "@/ui/time";
import { effectWords, fieldNames, type Prospect, prospects, value } from "./words";

/** What a sync would do to each order. The result stays while other parts of the page are looked at. */
export function DryRun({ connection }: { connection: Connection }) {
  const { workspace } = usePlace();
  const client = useQueryClient();
  const path = { workspace: workspace.id, connection: connection.id };
  const kept = ["rehearsal", connection.id];
  const { data } = useQuery<Rehearsal | null>({ queryKey: kept, queryFn: () => null, staleTime: Infinity });
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => (await rehearseExchange({ path, throwOnError: true })).data,
    onSuccess: (result) => client.setQueryData(kept, result),
  });
  const run = (
    <Button
      variant={data ? "secondary" : "primary"}
      icon={<FlaskConical aria-hidden />}
      loading={isPending}
      onClick={() => mutate()}
    >
      {data ? "Run again" : "Run it"}
    </Button>
  );
  return (
    <div className="flex flex-col gap-3">
      {error && <ErrorNote error={error} retry={mutate} />}
      {isPending && (
        <div role="status" className="flex flex-col gap-2">
          <p className="text-muted">Comparing both sides. This takes up to 20 seconds.</p>
          <Progress label="Comparing both sides" parts={[]} total={1} busy />
        </div>
      )}
      {data && <Result key={data.at} result={data} connection={connection} run={run} />}
      {!data && (
        <Card>
          <EmptyState
            icon={<FlaskConical aria-hidden />}
            action={run}
            docs={{ href: "/docs/connections#a-dry-run", label: "What it looks at" }}
          >
            See for every order what would be created, changed or left alone, before anything is. A dry run
            writes nothing on either side.
          </EmptyState>
        </Card>
      )}
    </div>
  );
}

interface ResultProps {
  result: Rehearsal;
  connection: Connection;
  run: React.ReactNode;
}

function Result({ result, connection, run }: ResultProps) {
  const { locale } = useLocale();
  const [only, setOnly] = useState<Prospect>();
  const order = Object.keys(prospects) as Prospect[];
  const counts = order
    .map((prospect) => ({ prospect, count: result.orders.filter((one) => one.prospect === prospect).length }))
    .filter(({ count }) => count > 0);
  const shown = result.orders
    .filter(({ prospect }) => !only || prospect === only)
    .sort((a, b) => order.indexOf(a.prospect) - order.indexOf(b.prospect));
  const { looked, open, there } = result;
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <p className="text-muted">
          {lookedAt({ looked, open, there }, locale)} Nothing was written. <Time value={result.at} />
        </p>
        <div className="sm:ml-auto">{run}</div>
      </div>
      {(result.trouble || !result.whole) && (
        <p className="rounded-md bg-warn-soft px-3 py-2 text-warn-ink">
          {result.trouble
            ? `It ended early: ${result.trouble}.`
            : "There are more orders there than were looked at."}
        </p>
      )}
      <fieldset className="flex flex-wrap gap-2">
        <legend className="sr-only">Show only</legend>
        {counts.map(({ prospect, count }) => (
          <button
            key={prospect}
            type="button"
            aria-pressed={only === prospect}
            onClick={() => setOnly(only === prospect ? undefined : prospect)}
            className="flex min-w-28 flex-col items-start rounded-lg border border-line bg-surface px-3 py-2 text-left shadow-card hover:bg-hover aria-pressed:border-accent-ink aria-pressed:bg-accent-soft"
          >
            <span className="font-semibold text-ink text-lg tabular-nums">{formatNumber(count, locale)}</span>
            <span className="text-muted text-xs">{prospects[prospect].label}</span>
          </button>
        ))}
      </fieldset>
      <Card flush>
        {shown.length === 0 && (
          <p className="px-4 py-8 text-center text-muted">There is no order to look at.</p>
        )}
        <ul aria-label="Orders" className="divide-y divide-line">
          {shown.map((one) => (
            <li key={one.order_no} className="px-4 py-2.5">
              <OrderRow order={one} name={connection.name} />
            </li>
          ))}
        </ul>
      </Card>
    </>
  );
}

function OrderRow({ order, name }: { order: Foreseen; name: string }) {
  const { workspace } = usePlace();
  const { locale } = useLocale();
  const { label, tone } = prospects[order.prospect];
  const here = order.prospect !== "created_here";
  return (
    <div className="flex flex-col gap-1">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        {here ? (
          <Link
            to="/w/$workspace/purchase-orders/$order"
            params={{ workspace: workspace.id, order: order.order_no }}
            className="rounded-sm font-medium text-accent-ink hover:underline"
          >
            {order.order_no}
          </Link>
        ) : (
          <span className="font-medium text-ink">{order.order_no}</span>
        )}
        <Badge tone={tone}>{label}</Badge>
        <span className="text-muted">{order.supplier}</span>
      </div>
      {order.message && <p className="text-muted">{sentence(order.message)}</p>}
      <Effects title={`In ${name}`} effects={order.there} />
      <Effects title="Here" effects={order.here} />
      {order.conflicts.map((one) => (
        <p key={`${one.sku} ${one.field}`}>
          <code className="font-mono text-xs">{one.sku}</code>{" "}
          {fieldNames[one.field as keyof typeof fieldNames]}: {value(one.field, one.ours, locale)} here,{" "}
          {value(one.field, one.theirs, locale)} in {name}
        </p>
      ))}
    </div>
  );
}

/** Lines beyond these are counted only: what happens to an order is seen from the first ones. */
const mostEffects = 6;

function Effects({ title, effects }: { title: string; effects: readonly Effect[] }) {
  const { locale } = useLocale();
  if (effects.length === 0) return null;
  return (
    <p>
      <span className="text-muted">{title}: </span>
      {effects.slice(0, mostEffects).map((effect, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes
        <span key={index}>
          {index > 0 && "; "}
          {effect.sku && <code className="font-mono text-xs">{effect.sku}</code>}{" "}
          {effectWords(effect, locale)}
        </span>
      ))}
      {effects.length > mostEffects && ` and ${formatNumber(effects.length - mostEffects, locale)} more`}
    </p>
  );
}

const sentence = (text: string) => `${text[0]?.toUpperCase()}${text.slice(1)}.`;
