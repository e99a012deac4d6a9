import { Link } from "@tanstack/react-router";
import type { Run, RunDecision } from "@/api/types.gen";
import { Amount } from "@/features/purchasing/parts";
import { cx } from "@/lib/cx";
import type { FileColumn } from "@/lib/save-rows";
import { usePlace } from "@/lib/session";
import { type Column, DataList } from "@/ui/data-list";
import { Num } from "@/ui/num";
import { OutcomeBadge } from "./badges";
import { type DecisionsOf, useDecisions } from "./queries";
import { sentence } from "./words";

interface DecisionListProps extends Omit<DecisionsOf, "run"> {
  run: Run;
}

/** What the agent chose, or left out, with the reason of each. */
export function DecisionList({ run, ...of }: DecisionListProps) {
  const list = useDecisions({ run: run.id, ...of });
  const chosen = of.which === "chosen";
  const made = chosen && !run.dry;
  return (
    <DataList
      caption={chosen ? "What the agent chose" : "What the agent left out"}
      noun="decision"
      list={list}
      idOf={({ n }) => String(n)}
      nameOf={({ name }) => name}
      columns={made ? [...columns, ...outcomeColumns] : columns}
      card={(one) => <DecisionCard one={one} made={made} />}
      rowClass={() => "align-top"}
      total={chosen ? run.chosen : run.skipped}
      file={made ? [...fileColumns, ...outcomeFile] : fileColumns}
      empty={<p className="px-4 py-10 text-center text-muted">{emptyText(run, chosen)}</p>}
    />
  );
}

function emptyText(run: Run, chosen: boolean): string {
  if (chosen) return "Nothing: the agent found nothing that it may draft.";
  return run.chosen > 0 ? "Nothing was left out." : "Nothing was to be ordered.";
}

const columns: Column<RunDecision>[] = [
  { id: "article", head: "Article", className: "py-1.5", cell: (one) => <Article one={one} /> },
  { id: "why", head: "Why", className: "w-full min-w-60 py-2 text-muted", cell: (one) => <Why one={one} /> },
  {
    id: "quantity",
    head: "Quantity",
    num: true,
    className: "py-2",
    cell: (one) => <Num value={one.quantity} />,
  },
  { id: "cost", head: "Cost", num: true, className: "py-2", cell: (one) => <Cost one={one} /> },
];

const outcomeColumns: Column<RunDecision>[] = [
  {
    id: "outcome",
    head: "Outcome",
    className: "whitespace-nowrap py-2",
    cell: (one) => (
      <>
        <OutcomeBadge outcome={one.outcome} />
        {one.order_no && (
          <span className="block pl-0.5">
            <Order one={one} />
          </span>
        )}
      </>
    ),
  },
];

function Article({ one }: { one: RunDecision }) {
  const { workspace } = usePlace();
  return (
    <span className="flex min-w-0 flex-col md:w-56">
      <Link
        to="/w/$workspace/products/$record"
        params={{ workspace: workspace.id, record: one.product_id }}
        className="block truncate rounded-sm font-medium leading-6 hover:underline max-md:text-base"
      >
        {one.name}
      </Link>
      <span className="flex min-w-0 gap-x-2 text-muted text-xs">
        {one.sku && <span className="max-w-36 shrink-0 truncate font-mono">{one.sku}</span>}
        <span className="truncate">{one.supplier?.name ?? "No supplier"}</span>
      </span>
    </span>
  );
}

function Why({ one: { sentence: why, note, outcome } }: { one: RunDecision }) {
  return (
    <>
      {why}
      {note && (
        <span className={cx("block", outcome === "refused" ? "text-bad-ink" : "text-warn-ink")}>
          {sentence(note)}
        </span>
      )}
    </>
  );
}

function Cost({ one }: { one: RunDecision }) {
  return <Amount amount={one.cost} currency={one.currency} />;
}

function Order({ one }: { one: RunDecision }) {
  const { workspace } = usePlace();
  return (
    <Link
      to="/w/$workspace/purchase-orders/$order"
      params={{ workspace: workspace.id, order: one.order_no ?? "" }}
      search={one.line_id ? { line: one.line_id } : {}}
      className="rounded-sm text-accent-ink leading-6 hover:underline"
    >
      {one.order_no}
    </Link>
  );
}

/** A decision on a phone. */
function DecisionCard({ one, made }: { one: RunDecision; made: boolean }) {
  return (
    <div className="flex flex-col gap-1.5">
      <Article one={one} />
      <p className="text-muted">
        <Why one={one} />
      </p>
      <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span>
          <Num value={one.quantity} /> for <Cost one={one} />
        </span>
        {made && (
          <span className="ml-auto flex flex-wrap items-center gap-x-3">
            {one.order_no && <Order one={one} />}
            <OutcomeBadge outcome={one.outcome} />
          </span>
        )}
      </span>
    </div>
  );
}

const fileColumns: FileColumn<RunDecision>[] = [
  { name: "Article", value: ({ name }) => name },
  { name: "SKU", value: ({ sku }) => sku ?? "" },
  { name: "Supplier", value: ({ supplier }) => supplier?.name ?? "" },
  { name: "Quantity", value: ({ quantity }) => quantity },
  { name: "Cost", value: ({ cost }) => cost ?? null },
  { name: "Currency", value: ({ currency }) => currency ?? "" },
  { name: "Rule", value: ({ rule }) => rule },
  { name: "Why", value: ({ sentence }) => sentence },
];

const outcomeFile: FileColumn<RunDecision>[] = [
  { name: "Outcome", value: ({ outcome }) => outcome },
  { name: "Note", value: ({ note }) => note ?? "" },
  { name: "Order", value: ({ order_no }) => order_no ?? "" },
];
