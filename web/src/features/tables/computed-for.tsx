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

/** What a computed view is computed for: a day, and whether by article if its rows are else of all together. */
export function ComputedFor({ table, state, shown, onChange }: ComputedForProps) {
  const ofAll = table.columns.some((column) => column.name === "product_id" && column.nullable);
  return (
    <div className="flex items-center gap-1.5 whitespace-nowrap text-muted">
      <span aria-hidden>As of</span>
      {/* An emptied field means today. */}
      <div className="w-36">
        <DayField label="As of" day={state.asOf ?? shown} onChange={(asOf) => onChange({ asOf })} />
      </div>
      {(ofAll || state.product) && (
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
