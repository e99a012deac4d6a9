import { useQuery } from "@tanstack/react-query";
import { getRowOptions } from "@/api/@tanstack/react-query.gen";
import { splitLine } from "@/api/sdk.gen";
import type { Line } from "@/api/types.gen";
import { better } from "@/features/procurement/model";
import { add, compare, isDecimal } from "@/lib/decimal";
import { readDecimal, typedDecimals } from "@/lib/decimal-text";
import { formatNumber } from "@/lib/format";
import { useLocale } from "@/lib/locale";
import { usePlace } from "@/lib/session";
import { formatDay } from "@/lib/time";
import { splitAgain } from "@/messages/purchasing";
import { Field } from "@/ui/field";
import { Input } from "@/ui/input";
import { ActionDialog } from "./action-dialog";
import { nextDay } from "./arrival-groups";
import { DayField } from "./day-field";
import type { LinesDialogProps } from "./dialogs";
import { useToday } from "./queries";

/** Moves a part of what is still to come of one line to a second line with its own day. */
export function SplitDialog({ lines, onClosed, onDone }: LinesDialogProps) {
  const { workspace } = usePlace();
  const { locale } = workspace;
  const today = useToday();
  const [line] = lines;
  const shown = (quantity: string) => formatNumber(quantity, locale);
  return (
    <ActionDialog
      action="split"
      fields={([seen]) => ({ quantity: "", day: nextDay(seen?.expected_arrival_date, today) })}
      title="Split by date"
      description={
        line && `${line.product_name ?? line.sku}: ${shown(line.quantity_open)} are still to come.`
      }
      confirm="Split"
      lines={lines}
      onClosed={onClosed}
      onDone={onDone}
      act={async ([seen], { quantity, day }) => {
        const typed = typedDecimals({ quantity }, locale);
        const { data } = await splitLine({
          path: { workspace: workspace.id, line: seen?.id ?? "" },
          headers: { "If-Match": `"${seen?.version}"` },
          body: { ...typed, expected_arrival_date: day },
          throwOnError: true,
        });
        const when = day ? `expected on ${formatDay(day, locale)}` : "without a day";
        const waiting = data.items.filter(({ status }) => status === "pending_approval").length;
        const again = seen?.status === "pending_approval" ? "" : splitAgain({ count: waiting }, locale);
        return `${shown(typed.quantity)} are a line of their own, ${when}${again}`;
      }}
    >
      {([seen], { draft, change, failure }) => (
        <>
          <Field
            label="Quantity that comes on another day"
            error={failure?.fieldError("quantity")}
            hint={seen && <Rest line={seen} typed={draft.quantity} />}
          >
            <Input
              inputMode="decimal"
              className="max-md:h-11"
              autoComplete="off"
              value={draft.quantity}
              onChange={(event) => change({ quantity: event.currentTarget.value })}
            />
          </Field>
          <DayField
            label="Expected on"
            day={draft.day}
            today={today}
            onDay={(day) => change({ day })}
            error={failure?.fieldError("expected_arrival_date")}
          />
          {seen && !seen.created_by_type && (
            <p className="text-muted text-xs">
              An external system sends this line. If it sends the whole quantity again, more is on its way
              than was ordered: split it there, too.
            </p>
          )}
        </>
      )}
    </ActionDialog>
  );
}

/** What stays of the line, and whether one of the two is no whole number of cartons. */
function Rest({ line, typed }: { line: Line; typed: string }) {
  const { workspace } = usePlace();
  const { locale } = useLocale();
  const product = useQuery({
    ...getRowOptions({
      path: { workspace: workspace.id, table: "products", record: line.product_id ?? "" },
    }),
    enabled: Boolean(line.product_id),
  }).data;
  const reading = readDecimal(typed, locale);
  const quantity = "value" in reading ? reading.value : "";
  if (!isDecimal(quantity) || compare(quantity, "0") <= 0) return "The rest keeps its day.";
  const rest = add(line.quantity_ordered, `-${quantity}`);
  if (compare(quantity, line.quantity_open) >= 0) return "Less than all: give the line another day instead.";
  const stays = `${formatNumber(rest, locale)} stay on ${
    line.expected_arrival_date ? formatDay(line.expected_arrival_date, locale) : "the line, without a day"
  }.`;
  const multiple = product?.values.order_multiple;
  const whole = (part: string) => typeof multiple === "string" && better(part, { multiple }) === undefined;
  // What was ordered in part of a carton already is no worse when it is split.
  if (typeof multiple !== "string" || !whole(line.quantity_ordered) || (whole(quantity) && whole(rest)))
    return stays;
  return (
    <>
      {stays}{" "}
      <span className="text-warn-ink">
        It comes in cartons of {formatNumber(multiple, locale)}: ask whether the supplier opens one.
      </span>
    </>
  );
}
