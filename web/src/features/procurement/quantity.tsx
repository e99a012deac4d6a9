import { useId } from "react";
import type { Recommendation } from "@/api/types.gen";
import { writeDecimal } from "@/lib/decimal-text";
import { formatNumber } from "@/lib/format";
import { usePlace } from "@/lib/session";
import { Input } from "@/ui/input";
import { Num } from "@/ui/num";
import type { RowEdits } from "./edits";
import { better, pickOf, quantityText, suggested } from "./model";

interface QuantityProps {
  row: Recommendation;
  edits: RowEdits;
  editable: boolean;
}

/** The quantity to order, with what the supplier asks for, and a way back to what can be ordered. */
export function Quantity({ row, edits, editable }: QuantityProps) {
  const { workspace } = usePlace();
  const asked = useId();
  if (!editable || row.lock) return <Num value={row.lock?.quantity ?? row.suggested_quantity} />;
  const { locale } = workspace;
  const edit = edits.all[row.recommendation_key];
  const set = (quantity: string | undefined) => edits.change(row.recommendation_key, { quantity });
  const { quantity, ask } = pickOf(row, edits.all, locale);
  const rounded = better(quantity, row);
  const own = suggested(row);
  const back = rounded ?? (edit?.quantity !== undefined && quantity !== own ? own : undefined);
  return (
    <span className="flex flex-col items-end gap-0.5">
      <Input
        aria-label={`Quantity of ${row.name}`}
        inputMode="decimal"
        autoComplete="off"
        maxLength={20}
        placeholder="0"
        value={quantityText(row, edit, locale)}
        onChange={(event) => set(event.currentTarget.value)}
        onFocus={(event) => event.currentTarget.select()}
        onKeyDown={(event) => {
          if (event.key === "Enter") event.currentTarget.blur();
          // The arrow keys stay in the field, instead of moving to another row.
          if (event.key !== "Tab") event.stopPropagation();
        }}
        aria-invalid={Boolean(ask)}
        aria-describedby={ask && asked}
        className="h-7! w-20! text-right pointer-coarse:h-10! tabular-nums"
      />
      <Rules row={row} locale={locale} />
      {back && (
        <button
          type="button"
          className="rounded-sm text-accent-ink text-xs hover:underline pointer-coarse:py-1"
          onClick={() => set(back === own ? undefined : writeDecimal(back, locale))}
        >
          {rounded && <span className="text-warn-ink">Cannot be ordered. </span>}
          Use {formatNumber(back, locale)}
        </button>
      )}
      {ask && (
        <span id={asked} className="max-w-40 whitespace-normal text-bad-ink text-xs">
          {ask}
        </span>
      )}
    </span>
  );
}

function Rules({ row: { minimum, multiple }, locale }: { row: Recommendation; locale: string }) {
  const parts = [
    ...(minimum ? [`min ${formatNumber(minimum, locale)}`] : []),
    ...(multiple && multiple !== "1" ? [`by ${formatNumber(multiple, locale)}`] : []),
  ];
  if (parts.length === 0) return null;
  return <span className="whitespace-nowrap text-subtle text-xs">{parts.join(", ")}</span>;
}
