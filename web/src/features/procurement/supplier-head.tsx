import type { QueueSummary, Recommendation } from "@/api/types.gen";
import { LeftOut } from "@/features/purchasing/left-out";
import { Totals } from "@/features/purchasing/parts";
import { SupplierLink } from "@/features/subject/links";
import { useLocale } from "@/lib/locale";
import type { Selection } from "@/lib/selection";
import { linesOf } from "@/messages/procurement";
import { Money } from "@/ui/num";
import { leftOutOf, type Picked, type Sum, supplierId, totals } from "./model";
import { type Terms, termsOf } from "./terms";

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
  return (
    <span className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5 text-sm">
      <span className="font-semibold text-ink">
        <SupplierLink
          id={supplier?.id}
          name={supplier?.name ?? "No supplier"}
          className="rounded-sm hover:underline"
        />
      </span>
      <span className="text-muted text-xs">
        {linesOf({ count: counted.length }, locale)}
        {chosen.length > 0 && " selected"}
      </span>
      <SupplierSums
        sums={sums}
        leftOut={leftOutOf(counted)}
        terms={termsOf(summary, supplierId(supplier), sums)}
      />
    </span>
  );
}

interface SupplierSumsProps {
  sums: readonly Sum[];
  leftOut?: number;
  terms: Terms | undefined;
}

/** "€210 of €500 minimum", "€38.20 more for free shipping" */
export function SupplierSums({ sums, leftOut = 0, terms }: SupplierSumsProps) {
  const { amount, currency = "", minimum, toFreeShipping } = terms ?? {};
  return (
    <span className="ml-auto flex flex-wrap items-baseline justify-end gap-x-3 tabular-nums">
      {minimum ? (
        <span className={minimum.met ? "text-muted" : "text-warn-ink"}>
          <Money amount={amount} currency={currency} /> of{" "}
          <Money amount={minimum.value} currency={currency} /> minimum <LeftOut count={leftOut} />
        </span>
      ) : (
        <Totals totals={sums} leftOut={leftOut} />
      )}
      {toFreeShipping !== undefined && (
        <span className="text-muted">
          {toFreeShipping === "0" ? (
            "Ships free"
          ) : (
            <>
              <Money amount={toFreeShipping} currency={currency} /> more for free shipping
            </>
          )}
        </span>
      )}
    </span>
  );
}
