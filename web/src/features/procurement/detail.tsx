import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useDeferredValue, useState } from "react";
import type { Explanation, Recommendation } from "@/api/types.gen";
import { SupplierPicker } from "@/features/purchasing/pickers";
import { usePlace } from "@/lib/session";
import { Button, buttonClass } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { ErrorNote } from "@/ui/error-note";
import { SkeletonText } from "@/ui/skeleton";
import { Arithmetic, OnOrder, Rules, Section } from "./arithmetic";
import { Marks, Urgency } from "./badges";
import type { Decisions } from "./decisions";
import type { RowEdits } from "./edits";
import { explainQuery, nothingTyped, readAssumptions } from "./explain";
import { Quantity } from "./quantity";
import { Sentence } from "./sentence";
import { WhatIf } from "./what-if";

interface DetailProps {
  product: string;
  edits: RowEdits;
  decisions: Decisions;
  onClosed: () => void;
}

/** How one suggestion comes about, beside the list. */
export function Detail({ product, edits, decisions, onClosed }: DetailProps) {
  const { workspace } = usePlace();
  const [typed, setTyped] = useState(nothingTyped);
  const assumed = readAssumptions(useDeferredValue(typed));
  const { data, error, refetch } = useQuery(explainQuery(workspace.id, product, assumed));
  const row = data?.recommendation;
  return (
    <Dialog
      title={row?.name ?? "Article"}
      description={row && [row.sku, row.supplier?.name ?? "No supplier"].filter(Boolean).join(" · ")}
      placement="right"
      size="lg"
      open
      onOpenChange={(open) => !open && onClosed()}
    >
      {error && !data && <ErrorNote error={error} retry={refetch} />}
      {!data && !error && <SkeletonText lines={10} label="Loading the explanation" />}
      {data && row && (
        <div className="flex flex-col gap-5">
          <Summary explanation={data} row={row} />
          <Decide row={row} edits={edits} decisions={decisions} />
          {error && <ErrorNote error={error} retry={refetch} />}
          <WhatIf
            explanation={data}
            typed={typed}
            onType={(change) => setTyped({ ...typed, ...change })}
            changed={Object.keys(assumed).length > 0}
          />
          <OnOrder explanation={data} />
          <Arithmetic explanation={data} />
          <Rules explanation={data} />
        </div>
      )}
    </Dialog>
  );
}

function Summary({ explanation, row }: { explanation: Explanation; row: Recommendation }) {
  const { workspace } = usePlace();
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2 text-sm">
        <Urgency urgency={row.urgency} />
        <Marks row={row} />
        <Link
          to="/w/$workspace/products/$record"
          params={{ workspace: workspace.id, record: row.product_id }}
          className={`${buttonClass("secondary", "sm")} ml-auto`}
        >
          The article's page
        </Link>
      </div>
      <Sentence parts={explanation.is.reason} product={row.product_id} />
    </div>
  );
}

interface DecideProps {
  row: Recommendation;
  edits: RowEdits;
  decisions: Decisions;
}

/** The quantity and the supplier of the line, and what can be done. */
function Decide({ row, edits, decisions }: DecideProps) {
  const { draft, putOff, restore } = decisions;
  if (restore && row.group === "put_off")
    return (
      <Button className="self-start" onClick={() => restore([row])}>
        Restore
      </Button>
    );
  if (!draft || !putOff || row.lock) return null;
  const chosen = edits.all[row.recommendation_key]?.supplier;
  return (
    <Section title="Order it">
      <div className="flex flex-wrap items-start gap-3">
        <Quantity row={row} edits={edits} editable />
        <div className="w-56">
          <SupplierPicker
            key={chosen?.id}
            label="Supplier"
            placeholder="Choose a supplier"
            initial={(chosen ?? row.supplier)?.name ?? ""}
            onPick={({ id, name }) =>
              edits.change(row.recommendation_key, {
                supplier: id === row.supplier?.id ? undefined : { id, name },
              })
            }
          />
          {chosen && (
            <p className="mt-0.5 text-muted text-xs">Its price is not known; set it in the order.</p>
          )}
        </div>
        <span className="flex flex-wrap gap-2 sm:ml-auto">
          <Button variant="ghost" onClick={() => putOff("dismiss", [row])}>
            Dismiss…
          </Button>
          <Button onClick={() => putOff("snooze", [row])}>Put off…</Button>
          <Button variant="primary" onClick={() => draft([row])}>
            Draft…
          </Button>
        </span>
      </div>
    </Section>
  );
}
