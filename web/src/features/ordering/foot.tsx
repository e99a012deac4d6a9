import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Send } from "lucide-react";
import type { OrderSupplierTerms } from "@/api/types.gen";
import { MonthLine } from "@/features/procurement/month";
import { summaryQuery } from "@/features/procurement/queries";
import { SupplierSums } from "@/features/procurement/supplier-head";
import { termsFor } from "@/features/procurement/terms";
import type { Money } from "@/features/purchasing/model";
import { usePlace } from "@/lib/session";
import { rowsUnsaved } from "@/messages/ordering";
import { Button, buttonClass } from "@/ui/button";
import { Keys } from "@/ui/keys";
import type { OrderDraft } from "./order-draft";

/** Where the draft stands: saved, being saved, or with rows that are not. */
export function Saved({ draft }: { draft: OrderDraft }) {
  const { workspace } = usePlace();
  const { order, saving } = draft.state;
  const rest = draft.unsaved;
  let text = order ? "saved" : "Nothing is saved yet.";
  if (saving) text = order ? "saving…" : "Saving…";
  else if (rest > 0) text = rowsUnsaved({ count: rest }, workspace.locale);
  return (
    <span role="status">
      {order && `Draft ${order} · `}
      <span className={!saving && rest > 0 ? "text-warn-ink" : undefined}>{text}</span>
    </span>
  );
}

interface FootProps {
  supplier: OrderSupplierTerms;
  draft: OrderDraft;
  sums: readonly Money[];
  /** Absent if there is nothing to submit, or the person may not. */
  submit: (() => void) | undefined;
}

/** What the order comes to beside the supplier's terms and the budget, and what to do with it. */
export function Foot({ supplier, draft, sums, submit }: FootProps) {
  const { workspace } = usePlace();
  const { data: summary } = useQuery(summaryQuery(workspace.id));
  const terms = termsFor({ ...supplier, currency: supplier.currency ?? workspace.base_currency }, sums);
  const { order } = draft.state;
  return (
    <section
      aria-label="The order"
      className="sticky bottom-3 z-20 mt-3 flex flex-wrap items-center gap-x-4 gap-y-2 rounded-lg border border-line bg-raised p-3 shadow-pop max-md:bottom-17"
    >
      <span className="flex min-w-0 flex-1 flex-col text-sm">
        <Saved draft={draft} />
        {summary?.month.budget !== undefined && (
          <span className="text-muted text-xs max-md:hidden">
            <MonthLine month={summary.month} />
          </span>
        )}
      </span>
      <span className="font-medium">
        <SupplierSums sums={sums} terms={terms} />
      </span>
      <span className="flex gap-2 max-md:w-full">
        {order && (
          <Link
            to="/w/$workspace/purchase-orders/$order"
            params={{ workspace: workspace.id, order }}
            className={`${buttonClass()} max-md:h-11 max-md:flex-1`}
          >
            Open the order
          </Link>
        )}
        {submit && (
          <Button
            variant="primary"
            icon={<Send aria-hidden />}
            className="max-md:h-11 max-md:flex-1"
            onClick={submit}
          >
            Submit for approval
            <span className="max-md:hidden">
              <Keys keys="mod+Enter" />
            </span>
          </Button>
        )}
      </span>
    </section>
  );
}
