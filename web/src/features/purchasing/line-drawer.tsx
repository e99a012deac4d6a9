import { useQuery } from "@tanstack/react-query";
import { getLineTimelineOptions } from "@/api/@tanstack/react-query.gen";
import type { Line, Moment, Receipt } from "@/api/types.gen";
import { RunText } from "@/features/agent/run-link";
import { agentRun } from "@/lib/agents";
import { cx } from "@/lib/cx";
import { usePlace } from "@/lib/session";
import { Badge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { ErrorNote } from "@/ui/error-note";
import { Num } from "@/ui/num";
import { SkeletonText } from "@/ui/skeleton";
import { Time } from "@/ui/time";
import { actions, type Doable, doable } from "./actions";
import { Changes } from "./changes";
import { InlinePlace } from "./field-edit";
import { Inline } from "./inline";
import { isIngest, lineDoing, statusWord, toldBy, verbOf } from "./line-words";
import { Flags } from "./lines-table";
import { isLate, lineTotal } from "./model";
import { Amount, Day, LineStatusBadge } from "./parts";
import { useActors, useNames, useToday } from "./queries";

interface LineDrawerProps {
  line: Line;
  onClosed: () => void;
  act: (action: Doable, line: Line) => void;
}

/** One line beside its list: its values, approval, receipts and history. */
export function LineDrawer({ line, onClosed, act }: LineDrawerProps) {
  const { workspace } = usePlace();
  const { data, error, refetch } = useQuery(
    getLineTimelineOptions({ path: { workspace: workspace.id, line: line.id } }),
  );
  const offered = doable.filter((action) => line.actions.includes(action));
  return (
    <Dialog
      title={line.product_name ?? line.sku}
      description={`${line.sku} · ${line.order_no}`}
      placement="right"
      size="md"
      open
      onOpenChange={(open) => !open && onClosed()}
    >
      <div className="flex flex-col gap-5">
        <div className="flex flex-wrap items-center gap-2">
          <LineStatusBadge status={line.status} closedShort={line.closed_short} />
          {offered.map((action) => (
            <Button
              key={action}
              size="sm"
              className={cx(actions[action].danger && "text-bad-ink")}
              onClick={() => act(action, line)}
            >
              {actions[action].label}
            </Button>
          ))}
        </div>
        <Flags line={line} />
        <InlinePlace value="drawer">
          <Facts line={line} />
        </InlinePlace>
        <Section title="Receipts">{data && <Receipts receipts={data.receipts} />}</Section>
        <Section title="History">
          {error && <ErrorNote error={error} retry={refetch} />}
          {!data && !error && <SkeletonText lines={4} label="Loading the history" />}
          {data && <History moments={data.moments} />}
        </Section>
      </div>
    </Dialog>
  );
}

function Section({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <section aria-label={title}>
      <h3 className="mb-1.5 font-semibold">{title}</h3>
      {children}
    </section>
  );
}

function Facts({ line }: { line: Line }) {
  const { workspace } = usePlace();
  const nameOf = useNames();
  const actor = useActors();
  const today = useToday();
  const nothing = <Num value={undefined} />;
  const facts: [string, React.ReactNode][] = [
    [
      "Supplier",
      <Inline key="s" line={line} field="supplier_id">
        {line.supplier_name ?? nothing}
      </Inline>,
    ],
    [
      "Ordered",
      <Inline key="q" line={line} field="quantity_ordered">
        <Num value={line.quantity_ordered} />
      </Inline>,
    ],
    [
      "Received",
      <span key="r">
        <Num value={line.quantity_received} />, <Num value={line.quantity_open} /> open
      </span>,
    ],
    [
      "Price",
      <Inline key="p" line={line} field="price_per_unit">
        <Amount amount={line.price_per_unit} currency={line.currency} />
      </Inline>,
    ],
    [
      "Currency",
      <Inline key="c" line={line} field="currency">
        {line.currency ?? nothing}
      </Inline>,
    ],
    ["Total", <Amount key="t" amount={lineTotal(line)} currency={line.currency} />],
    [
      "Expected",
      <Inline key="e" line={line} field="expected_arrival_date">
        <Day day={line.expected_arrival_date} late={isLate(line, today)} />
      </Inline>,
    ],
    [
      "Note",
      <Inline key="n" line={line} field="note">
        {line.note ? <span className="whitespace-pre-wrap break-words">{line.note}</span> : nothing}
      </Inline>,
    ],
    [
      "Made by",
      <RunText
        key="m"
        text={actor({ by_type: line.created_by_type ?? "", by_id: line.created_by_id })}
        run={agentRun(line.created_by_id, line.created_by_run)}
        workspace={workspace.id}
      />,
    ],
  ];
  if (line.approved_by)
    facts.push([
      "Approved by",
      <span key="a" className="inline-flex flex-wrap items-center gap-2">
        {nameOf(line.approved_by)}
        {line.approved_at && <Time value={line.approved_at} />}
        {line.self_approved && <Badge tone="warn">approved by the same person</Badge>}
      </span>,
    ]);
  if (line.ordered_outside)
    facts.push([
      "Ordered by",
      <span key="o" className="inline-flex flex-wrap items-center gap-2">
        {actor({ by_type: "", ...line.ordered_outside })}
        <Badge>not approved here</Badge>
      </span>,
    ]);
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-4 gap-y-1">
      {facts.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-muted">{name}</dt>
          <dd className="min-w-0">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Receipts({ receipts }: { receipts: readonly Receipt[] }) {
  const actor = useActors();
  if (receipts.length === 0) return <p className="text-muted">Nothing has arrived yet.</p>;
  return (
    <ul className="divide-y divide-line border-line border-y">
      {receipts.map((receipt) => (
        <li key={receipt.id} className="flex items-start justify-between gap-3 py-1.5">
          <span className="min-w-0">
            <Time inline value={receipt.received_at} /> <span className="text-muted">· {actor(receipt)}</span>
            {receipt.note && <span className="block break-words text-muted text-xs">{receipt.note}</span>}
          </span>
          <span
            className={cx("font-medium tabular-nums", receipt.quantity.startsWith("-") && "text-bad-ink")}
          >
            {!receipt.quantity.startsWith("-") && "+"}
            <Num value={receipt.quantity} />
          </span>
        </li>
      ))}
    </ul>
  );
}

function History({ moments }: { moments: readonly Moment[] }) {
  const { workspace } = usePlace();
  const actor = useActors();
  if (moments.length === 0) return <p className="text-muted">No history yet.</p>;
  return (
    <ol className="flex flex-col gap-3 border-line border-l pl-4">
      {moments.map((moment) => {
        const what = verbOf(moment.what);
        const told = toldBy(moment);
        return (
          <li key={`${moment.at} ${moment.request_id} ${moment.what}`}>
            <p>
              <span className="font-medium">
                <RunText
                  text={actor(moment)}
                  run={agentRun(moment.by_id, told.run)}
                  workspace={workspace.id}
                />
              </span>{" "}
              {lineDoing(moment.what, told, workspace.locale)}
              {told.self_approved && " (approved by the same person)"}{" "}
              <span className="text-muted">
                · <Time value={moment.at} />
              </span>
            </p>
            {told.from && told.to && told.from !== told.to && (
              <p className="text-muted text-xs">
                {statusWord(told.from)} → {what === "closed_short" ? "closed short" : statusWord(told.to)}
              </p>
            )}
            {!isIngest(moment.what) && told.from && <Changes told={told} />}
            {told.reason && <p className="break-words text-xs">“{told.reason}”</p>}
          </li>
        );
      })}
    </ol>
  );
}
