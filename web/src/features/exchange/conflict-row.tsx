import type { Conflict } from "@/api/types.gen";
import { cx } from "@/lib/cx";
import { useLocale } from "@/lib/locale";
import { Button } from "@/ui/button";
import type { Side } from "./use-decide";
import { fieldLabel, valueText } from "./words";

interface ConflictRowProps {
  conflict: Conflict;
  /** Absent if the person may not decide. */
  decide?: ((take: Side) => void) | undefined;
  busy: boolean;
}

/** One field of one line: both values side by side, why somebody must decide, and what each decision does. */
export function ConflictRow({ conflict, decide, busy }: ConflictRowProps) {
  const { locale } = useLocale();
  const { field, base, connection, sku, product_name } = conflict;
  const what = `${sku ?? "Line"}, ${fieldLabel(field).toLowerCase()}`;
  return (
    <li
      data-row={conflict.id}
      tabIndex={-1}
      aria-label={what}
      className="grid gap-x-6 gap-y-2 px-4 py-3 -outline-offset-2! focus:bg-hover md:grid-cols-[minmax(12rem,1fr)_2fr]"
    >
      <div className="min-w-0">
        <p className="font-medium">{fieldLabel(field)}</p>
        <p className="min-w-0 break-words text-muted">
          {sku}
          {product_name && ` · ${product_name}`}
        </p>
        <p className="mt-1 text-muted text-xs">{conflict.reason_text}</p>
        {base.value !== "" && (
          <p className="mt-1 text-muted text-xs">
            Both last had <span className="text-ink">{valueText(conflict, base, locale)}</span>
          </p>
        )}
      </div>
      <div className="grid grid-cols-2 gap-2">
        <Value conflict={conflict} side="ours" title="Here" verb="Keep ours" {...{ decide, busy, what }} />
        <Value
          conflict={conflict}
          side="theirs"
          title={`In ${connection}`}
          verb="Take theirs"
          {...{ decide, busy, what }}
        />
      </div>
    </li>
  );
}

interface ValueProps extends ConflictRowProps {
  side: Side;
  title: string;
  verb: string;
  what: string;
}

function Value({ conflict, side, title, verb, what, decide, busy }: ValueProps) {
  const { locale } = useLocale();
  const choice = conflict.choices.find(({ take }) => take === side);
  return (
    <div className={cx("flex min-w-0 flex-col rounded-md border border-line p-2.5", !choice && "bg-sunken")}>
      <p className="text-muted text-xs">{title}</p>
      <p className="break-words font-medium text-base tabular-nums">
        {valueText(conflict, conflict[side], locale)}
      </p>
      <p className="mt-0.5 mb-2 flex-1 text-muted text-xs">{choice ? choice.does : "This cannot be kept."}</p>
      {decide && choice && (
        <Button
          size="sm"
          className="self-start max-md:h-11 max-md:w-full"
          disabled={busy}
          aria-label={`${verb}: ${what}`}
          onClick={() => decide(side)}
        >
          {verb}
        </Button>
      )}
    </div>
  );
}
