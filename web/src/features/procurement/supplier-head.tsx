import type { QueueSummary, Recommendation } from "@/api/types.gen";
import { Totals } from "@/features/purchasing/parts";
import { cx } from "@/lib/cx";
import { useLocale } from "@/lib/locale";
import type { Selection } from "@/lib/selection";
import { linesOf } from "@/messages/procurement";
import { Money } from "@/ui/num";
import { type MinimumOrder, minimumOrder } from "./minimum";
import { type Picked, supplierId, totals } from "./model";

interface SupplierHeadProps {
  picks: readonly Picked[];
  selection: Selection<Recommendation>;
  summary: QueueSummary | undefined;
}

/** The heading of a supplier's block: what is selected of it, else all of it. */
export function SupplierHead({ picks, selection, summary }: SupplierHeadProps) {
  const { locale } = useLocale();
  const chosen = picks.filter(({ row }) => selection.has(row));
  const counted = chosen.length > 0 ? chosen : picks;
  const sums = totals(counted);
  const supplier = picks[0]?.row.supplier;
  const minimum = minimumOrder(summary, supplierId(supplier), sums);
  return (
    <span className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5 text-sm">
      <span className="font-semibold text-ink">{supplier?.name ?? "No supplier"}</span>
      <span className="text-muted text-xs">
        {linesOf({ count: counted.length }, locale)}
        {chosen.length > 0 && " selected"}
      </span>
      <span className="ml-auto flex flex-wrap items-baseline gap-x-3">
        {minimum ? <Minimum of={minimum} /> : <Totals totals={sums} />}
      </span>
    </span>
  );
}

/** "€210 of €500 minimum" */
export function Minimum({ of: { amount, currency, minimum, met } }: { of: MinimumOrder }) {
  return (
    <span className={cx("tabular-nums", met ? "text-muted" : "text-warn-ink")}>
      <Money amount={amount} currency={currency} /> of <Money amount={minimum} currency={currency} /> minimum
    </span>
  );
}
