import { ClipboardList, Clock, X } from "lucide-react";
import type { Recommendation } from "@/api/types.gen";
import { Totals } from "@/features/purchasing/parts";
import { BulkBar } from "@/ui/bulk-bar";
import { Button } from "@/ui/button";
import type { Decisions } from "./decisions";
import type { Sum } from "./model";

interface DecisionBarProps {
  rows: readonly Recommendation[];
  totals: readonly Sum[];
  leftOut: number;
  decisions: Decisions;
  clear: () => void;
}

/** What can be done with the selected rows. */
export function DecisionBar({ rows, totals, leftOut, decisions, clear }: DecisionBarProps) {
  const { draft, putOff, restore } = decisions;
  return (
    <BulkBar count={rows.length} clear={clear}>
      <Totals totals={totals} leftOut={leftOut} className="text-muted" />
      {putOff && (
        <>
          <Button size="sm" icon={<Clock aria-hidden />} onClick={() => putOff("snooze", rows)}>
            Put off…
          </Button>
          <Button size="sm" icon={<X aria-hidden />} onClick={() => putOff("dismiss", rows)}>
            Dismiss…
          </Button>
        </>
      )}
      {restore && (
        <Button size="sm" onClick={() => restore(rows)}>
          Restore
        </Button>
      )}
      {draft && (
        <Button size="sm" variant="primary" icon={<ClipboardList aria-hidden />} onClick={() => draft(rows)}>
          Draft…
        </Button>
      )}
    </BulkBar>
  );
}
