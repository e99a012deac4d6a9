import type { Table } from "@/api/types.gen";
import { Button } from "@/ui/button";
import { DayField } from "@/ui/filter";
import type { TableState } from "./state";

interface ComputedForProps {
  table: Table;
  state: TableState;
  /** The day as of which the rows shown were computed. */
  shown: string | undefined;
  onChange: (part: Partial<TableState>) => void;
}

/** What a computed view is computed for: a day, and whether by article. */
export function ComputedFor({ table, state, shown, onChange }: ComputedForProps) {
  return (
    <div className="flex flex-wrap items-center gap-1.5 text-muted">
      <span aria-hidden>As of</span>
      {/* An emptied field means today. */}
      <DayField label="As of" day={state.asOf ?? shown} onChange={(asOf) => onChange({ asOf })} />
      {table.parameters.some((one) => one.name === "product") && (
        <Button
          size="sm"
          aria-pressed={state.product !== undefined}
          onClick={() => onChange({ product: state.product ? undefined : "all" })}
        >
          {state.product && state.product !== "all" ? "One article" : "By article"}
        </Button>
      )}
    </div>
  );
}
