import { receiveLines } from "@/api/sdk.gen";
import type { Line } from "@/api/types.gen";
import { compare } from "@/lib/decimal";
import { typedDecimals, writeDecimal } from "@/lib/decimal-text";
import { ApiError } from "@/lib/problem";
import { usePlace } from "@/lib/session";
import { startOfDay } from "@/lib/time";
import { linesReceived } from "@/messages/purchasing";
import { Checkbox } from "@/ui/checkbox";
import { BareField, Field } from "@/ui/field";
import { Input } from "@/ui/input";
import { Num } from "@/ui/num";
import { ActionDialog } from "./action-dialog";
import type { LinesDialogProps } from "./dialogs";
import { LineName } from "./line-name";
import { Refusal } from "./parts";
import { useToday } from "./queries";

interface Receipt {
  /** The quantity for each line. */
  came: Record<string, string>;
  day: string;
  note: string;
  over: boolean;
}

function arrived(seen: readonly Line[], came: Receipt["came"], locale: string) {
  const typed = typedDecimals(came, locale);
  return seen
    .map(({ id, version }) => ({ id, version, quantity: typed[id] ?? "" }))
    .filter(({ quantity }) => quantity !== "" && compare(quantity, "0") !== 0);
}

/** The moment of an arrival of which only the day is known. For today it is now. */
function middleOfDay(day: string, timeZone: string): Date {
  return new Date(startOfDay(day, timeZone).getTime() + 12 * 3_600_000);
}

/** Books receipts, line by line; empty or zero means that nothing arrived. */
export function ReceiveDialog({ lines, onClosed, onDone }: LinesDialogProps) {
  const { workspace } = usePlace();
  const today = useToday();
  return (
    <ActionDialog<Receipt>
      action="receive"
      fields={(seen) => ({
        came: Object.fromEntries(
          seen.map((line) => [line.id, writeDecimal(line.quantity_open, workspace.locale)]),
        ),
        day: today,
        note: "",
        over: false,
      })}
      title="Receive"
      description="Enter how many arrived. Empty or 0 means none."
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
        const arrivals = arrived(seen, came, workspace.locale);
        if (arrivals.length === 0)
          throw new ApiError({ code: "required", detail: "Enter a quantity for at least one line." }, 422);
        await receiveLines({
          path: { workspace: workspace.id },
          body: {
            lines: arrivals,
            ...(day && day !== today && { at: middleOfDay(day, workspace.time_zone).toISOString() }),
            ...(note.trim() && { note: note.trim() }),
            ...(over && { over }),
          },
          throwOnError: true,
        });
        return linesReceived({ count: arrivals.length }, workspace.locale);
      }}
    >
      {(seen, { draft, change, failure }) => (
        <>
          <ul className="divide-y divide-line border-line border-y">
            {seen.map((line) => (
              <li key={line.id}>
                <BareField
                  error={failure?.fieldError(line.id)}
                  className="flex flex-wrap items-center justify-between gap-x-3 py-2"
                >
                  <span className="min-w-0 flex-1">
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
                        // The confirmation does not hold for another quantity.
                        change({ came: { ...draft.came, [line.id]: value }, over: false });
                      }}
                    />
                  </span>
                </BareField>
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
