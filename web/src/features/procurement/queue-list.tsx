import { useState } from "react";
import type { QueueSummary, Recommendation } from "@/api/types.gen";
import type { FileColumn } from "@/lib/save-rows";
import { useSelection } from "@/lib/selection";
import { usePlace } from "@/lib/session";
import { DataList } from "@/ui/data-list";
import { lazyDialog } from "@/ui/lazy-dialog";
import { lazyPart } from "@/ui/lazy-part";
import { type Act, type Decision, useDecisions } from "./decisions";
import { useEdits } from "./edits";
import { bySupplier, isOrderable, leftOutOf, pickOf, supplierId, totals } from "./model";
import { idOf, useQueue } from "./queries";
import { columns, RowCard } from "./rows";
import type { QueueSearch, QueueTab } from "./search";
import { reasonText } from "./words";

// Loaded on demand, because reading the list needs none of them.
const Detail = lazyDialog(async () => (await import("./detail")).Detail);
const DraftDialog = lazyDialog(async () => (await import("./draft-dialog")).DraftDialog);
const SnoozeDialog = lazyDialog(async () => (await import("./snooze-dialog")).SnoozeDialog);
const DismissDialog = lazyDialog(async () => (await import("./dismiss-dialog")).DismissDialog);
const Nothing = lazyPart(async () => (await import("./nothing")).Nothing);
const SupplierHead = lazyPart(
  async () => (await import("./supplier-head")).SupplierHead,
  ({ picks }) => <span className="font-semibold text-sm">{picks[0]?.row.supplier?.name}</span>,
);
const DecisionBar = lazyPart(async () => (await import("./decision-bar")).DecisionBar);

interface QueueListProps {
  search: QueueSearch;
  tab: QueueTab;
  summary: QueueSummary | undefined;
  look: (next: QueueSearch, replace?: boolean) => void;
}

/** The rows of a tab, with what can be decided about them. */
export function QueueList({ search, tab, summary, look }: QueueListProps) {
  const { workspace, can } = usePlace();
  const { grouped, supplier, text, open } = search;
  const found = useQueue(search, (pages) => look({ ...search, pages }));
  const sorted = grouped ? found.rows && bySupplier(found.rows, (row) => row.supplier).flat() : found.rows;
  const list = { ...found, rows: sorted };
  const rows = list.previous ? undefined : list.rows;
  const selection = useSelection({ rows, idOf, filter: JSON.stringify([tab, supplier, text, grouped]) });
  const edits = useEdits();
  const [act, setAct] = useState<Act>();
  const show = (product: string | undefined) => look({ ...search, open: product }, open !== undefined);
  const decide = (decision: Decision, some: readonly Recommendation[]) => {
    if (open) show(undefined);
    setAct({ decision, rows: some });
  };
  const decisions = useDecisions({ tab, rows: rows ?? [], selection, decide });
  const pick = (row: Recommendation) => pickOf(row, edits.all, workspace.locale);
  const shared = { tab, edits, decisions, search };
  const done = () => {
    setAct(undefined);
    selection.clear();
  };
  return (
    <>
      <DataList
        caption="What to order"
        noun="article"
        list={list}
        idOf={idOf}
        nameOf={(row) => row.name}
        columns={columns(shared)}
        card={(row) => <RowCard row={row} {...shared} />}
        file={fileColumns}
        selection={can("draft_lines") ? selection : undefined}
        total={supplier || text ? undefined : summary?.groups[tab]}
        open={open}
        onOpen={(row) => show(idOf(row))}
        blocks={
          grouped
            ? {
                of: (row) => supplierId(row.supplier),
                head: (block) => (
                  <SupplierHead
                    picks={(rows ?? []).filter((row) => supplierId(row.supplier) === block).map(pick)}
                    selection={selection}
                    summary={summary}
                  />
                ),
              }
            : undefined
        }
        empty={<Nothing tab={tab} filtered={Boolean(supplier || text)} computed={summary?.computed_at} />}
      />
      {selection.chosen.length > 0 && (
        <DecisionBar
          rows={selection.chosen}
          totals={totals(selection.chosen.map(pick).filter(isOrderable))}
          leftOut={leftOutOf(selection.chosen.map(pick).filter(isOrderable))}
          decisions={decisions}
          clear={selection.clear}
        />
      )}
      {open && (
        <Detail
          key={open}
          product={open}
          edits={edits}
          decisions={decisions}
          onClosed={() => show(undefined)}
        />
      )}
      {act?.decision === "draft" && (
        <DraftDialog
          picks={act.rows.map(pick)}
          summary={summary}
          onClosed={() => setAct(undefined)}
          onDone={(keys) => {
            edits.forget(keys);
            done();
          }}
        />
      )}
      {act?.decision === "snooze" && (
        <SnoozeDialog rows={act.rows} onClosed={() => setAct(undefined)} onDone={done} />
      )}
      {act?.decision === "dismiss" && (
        <DismissDialog rows={act.rows} onClosed={() => setAct(undefined)} onDone={done} />
      )}
    </>
  );
}

const fileColumns: FileColumn<Recommendation>[] = [
  { name: "Article", value: (row) => row.name },
  { name: "SKU", value: (row) => row.sku ?? "" },
  { name: "Supplier", value: (row) => row.supplier?.name ?? "" },
  { name: "Urgency", value: (row) => row.urgency },
  { name: "Available", value: (row) => row.available ?? null },
  { name: "On order", value: (row) => row.open_purchase_order_quantity },
  { name: "Days of cover", value: (row) => row.days_of_cover ?? null },
  { name: "Order by", value: (row) => row.order_by_date ?? null },
  { name: "Runs out on", value: (row) => row.projected_stockout_date ?? null },
  { name: "Suggested", value: (row) => row.suggested_quantity },
  { name: "Cost", value: (row) => row.line_cost ?? null },
  { name: "Currency", value: (row) => row.currency ?? "" },
  { name: "Why", value: reasonText },
];
