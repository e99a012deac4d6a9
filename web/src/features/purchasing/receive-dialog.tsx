import { receiveLines } from "@/api/sdk.gen";
import type { Line } from "@/api/types.gen";
import { compare, isDecimal, typedDecimal } from "@/lib/decimal";
import { plural } from "@/lib/format";
import { ApiError } from "@/lib/problem";
import { usePlace } from "@/lib/session";
import { Checkbox } from "@/ui/checkbox";
import { Field } from "@/ui/field";
import { Input } from "@/ui/input";
import { Num } from "@/ui/num";
import { ActionDialog } from "./action-dialog";
import type { LinesDialogProps } from "./dialogs";
import { LineName, Refusal } from "./parts";
import { useToday } from "./queries";

interface Receipt {
  /** How many of each line. */
  came: Record<string, string>;
  day: string;
  note: string;
  over: boolean;
}

function arrived(seen: readonly Line[], came: Receipt["came"]) {
  return seen
    .map(({ id, version }) => ({ id, version, quantity: typedDecimal(came[id] ?? "") }))
    .filter(({ quantity }) => quantity !== "" && !(isDecimal(quantity) && compare(quantity, "0") === 0));
}

/** Books what arrived, line by line; what is empty or zero did not come. */
export function ReceiveDialog({ lines, onClosed, onDone }: LinesDialogProps) {
  const { workspace } = usePlace();
  const today = useToday();
  return (
    <ActionDialog<Receipt>
      action="receive"
      fields={(seen) => ({
        came: Object.fromEntries(seen.map((line) => [line.id, line.quantity_open])),
        day: today,
        note: "",
        over: false,
      })}
      title="Receive"
      description="Say how many arrived. Empty or 0: nothing of it came."
      confirm={({ over }) => (over ? "Book all of it" : "Book receipt")}
      size="md"
      lines={lines}
      onClosed={onClosed}
      onDone={onDone}
      answer={(failure, { draft, change }) =>
        failure.code === "over_receipt" && (
          <Refusal error={failure}>
            <div className="mt-2 text-ink">
              <Checkbox
                label="Yes, that many arrived"
                checked={draft.over}
                onCheckedChange={(over) => change({ over })}
              />
            </div>
          </Refusal>
        )
      }
      act={async (seen, { came, day, note, over }) => {
        const arrivals = arrived(seen, came);
        if (arrivals.length === 0)
          throw new ApiError({ code: "required", detail: "Say of at least one line how many arrived." }, 422);
        await receiveLines({
          path: { workspace: workspace.id },
          body: {
            lines: arrivals,
            // Noon, so that no zone makes another day of it; today is simply now.
            ...(day && day !== today && { at: `${day}T12:00:00Z` }),
            ...(note.trim() && { note: note.trim() }),
            ...(over && { over }),
          },
          throwOnError: true,
        });
        return `Receipt of ${arrivals.length} ${plural(arrivals.length, "line")} booked`;
      }}
    >
      {(seen, { draft, change }) => (
        <>
          <ul className="divide-y divide-line border-line border-y">
            {seen.map((line) => (
              <li key={line.id} className="flex items-center justify-between gap-3 py-2">
                <span className="min-w-0">
                  <LineName line={line} />
                  <span className="text-subtle text-xs">
                    <Num value={line.quantity_received} /> of <Num value={line.quantity_ordered} /> received
                  </span>
                </span>
                <span className="w-24 shrink-0">
                  <Input
                    aria-label={`Arrived of ${line.sku}`}
                    inputMode="decimal"
                    autoComplete="off"
                    className="text-right max-md:h-11"
                    value={draft.came[line.id] ?? ""}
                    onFocus={(event) => event.currentTarget.select()}
                    onChange={(event) => {
                      const { value } = event.currentTarget;
                      // Another number is another question.
                      change({ came: { ...draft.came, [line.id]: value }, over: false });
                    }}
                  />
                </span>
              </li>
            ))}
          </ul>
          <div className="grid gap-4 sm:grid-cols-[10rem_1fr]">
            <Field label="Arrived on">
              <Input
                type="date"
                max={today}
                value={draft.day}
                onChange={(event) => change({ day: event.currentTarget.value })}
              />
            </Field>
            <Field label="Note" optional>
              <Input
                value={draft.note}
                maxLength={500}
                placeholder="Delivery note, condition"
                onChange={(event) => change({ note: event.currentTarget.value })}
              />
            </Field>
          </div>
        </>
      )}
    </ActionDialog>
  );
}
