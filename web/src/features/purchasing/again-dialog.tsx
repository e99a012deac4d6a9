import { useNavigate } from "@tanstack/react-router";
import { useRef } from "react";
import { draftLines } from "@/api/sdk.gen";
import type { Line, NewLineFields } from "@/api/types.gen";
import { usePlace } from "@/lib/session";
import { linesDraft, linesDrafted } from "@/messages/purchasing";
import { Checkbox } from "@/ui/checkbox";
import { Num } from "@/ui/num";
import { ActionDialog } from "./action-dialog";
import type { LinesDialogProps } from "./dialogs";
import { Refusal } from "./parts";

/** A line as it is ordered again. Its day and its note belonged to the first order. */
export function again(line: Line): NewLineFields {
  const { product_id, sku, supplier_id, quantity_ordered, price_per_unit, currency } = line;
  return {
    ...(product_id ? { product_id } : { sku }),
    ...(supplier_id && { supplier_id }),
    quantity_ordered,
    ...(price_per_unit && { price_per_unit }),
    ...(currency && { currency }),
  };
}

/** Drafts the lines of an order again, in a new one. */
export function AgainDialog({ lines, onClosed }: LinesDialogProps) {
  const { workspace } = usePlace();
  const go = useNavigate();
  const made = useRef("");
  return (
    <ActionDialog
      action="again"
      fields={() => ({ confirmed: false })}
      title="Order again"
      description="The lines are drafted in a new order, with their quantities and prices. Nothing is submitted."
      confirm={linesDraft({ count: lines.length }, workspace.locale)}
      confirmFirst
      lines={lines}
      onClosed={onClosed}
      onDone={() =>
        void go({
          to: "/w/$workspace/purchase-orders/$order",
          params: { workspace: workspace.id, order: made.current },
        })
      }
      answer={(failure, { draft, change }) =>
        failure.code === "already_on_its_way" && (
          <Refusal error={failure}>
            <div className="mt-2 text-ink">
              <Checkbox
                label="Yes, order more of it"
                checked={draft.confirmed}
                onCheckedChange={(confirmed) => change({ confirmed })}
              />
            </div>
          </Refusal>
        )
      }
      act={async (seen, { confirmed }) => {
        const body = { lines: seen.map(again), ...(confirmed && { confirm_on_its_way: true }) };
        const { data } = await draftLines({ path: { workspace: workspace.id }, body, throwOnError: true });
        made.current = data.items[0]?.order_no ?? "";
        return linesDrafted({ count: data.items.length, order: made.current }, workspace.locale);
      }}
    >
      {(seen) => (
        <ul className="max-h-60 list-inside list-disc overflow-y-auto text-muted">
          {seen.map((line) => (
            <li key={line.id}>
              <Num value={line.quantity_ordered} /> × {line.product_name ?? line.sku}
            </li>
          ))}
        </ul>
      )}
    </ActionDialog>
  );
}
