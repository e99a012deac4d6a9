import { confirmOrder } from "@/api/sdk.gen";
import type { Line } from "@/api/types.gen";
import { typedDecimals, writeDecimal } from "@/lib/decimal-text";
import { usePlace } from "@/lib/session";
import { linesDiffer } from "@/messages/purchasing";
import { Field } from "@/ui/field";
import { Input } from "@/ui/input";
import { ActionDialog } from "./action-dialog";
import { deviationWords } from "./confirm-words";
import { LineName } from "./line-name";

interface Said {
  reference: string;
  quantity: Record<string, string>;
  price: Record<string, string>;
  day: Record<string, string>;
}

interface ConfirmDialogProps {
  order: string;
  lines: readonly Line[];
  onClosed: () => void;
}

const termsOf = (line: Line) => ({
  quantity: line.quantity_ordered,
  ...(line.price_per_unit && { price: line.price_per_unit }),
  ...(line.expected_arrival_date && { expected: line.expected_arrival_date }),
});

/** What the supplier confirmed, filled in as it was ordered. */
export function ConfirmDialog({ order, lines, onClosed }: ConfirmDialogProps) {
  const { workspace } = usePlace();
  const { locale } = workspace;
  const by = (seen: readonly Line[], value: (line: Line) => string) =>
    Object.fromEntries(seen.map((line) => [line.id, value(line)]));
  const confirmed = (seen: readonly Line[], draft: Said) => {
    const quantities = typedDecimals(draft.quantity, locale);
    const prices = typedDecimals(draft.price, locale);
    return seen.map((line) => ({
      id: line.id,
      version: line.version,
      quantity: quantities[line.id] ?? "",
      price: prices[line.id] ?? "",
      expected: draft.day[line.id] ?? "",
    }));
  };
  return (
    <ActionDialog<Said>
      action="confirm"
      fields={(seen) => ({
        reference: "",
        quantity: by(seen, (line) => writeDecimal(line.quantity_ordered, locale)),
        price: by(seen, (line) => (line.price_per_unit ? writeDecimal(line.price_per_unit, locale) : "")),
        day: by(seen, (line) => line.expected_arrival_date ?? ""),
      })}
      title={`Confirmed: ${order}`}
      description="What the supplier confirmed. Change only what differs from the order."
      confirm="Save confirmation"
      size="lg"
      lines={lines}
      onClosed={onClosed}
      act={async (seen, draft) => {
        const { data } = await confirmOrder({
          path: { workspace: workspace.id, order },
          body: { reference: draft.reference.trim(), lines: confirmed(seen, draft) },
          throwOnError: true,
        });
        return data.differences.length > 0
          ? linesDiffer({ count: data.differences.length }, locale)
          : "Confirmed as ordered";
      }}
    >
      {(seen, { draft, change, failure }) => (
        <>
          <Field label="The supplier's reference" optional error={failure?.fieldError("reference")}>
            <Input
              value={draft.reference}
              maxLength={100}
              autoComplete="off"
              className="max-md:h-11"
              onChange={(event) => change({ reference: event.currentTarget.value })}
            />
          </Field>
          <div aria-hidden className="-mb-3 flex gap-2 text-right text-muted text-xs sm:justify-end">
            <span className={widths.quantity}>Quantity</span>
            <span className={widths.price}>Price</span>
            <span className={widths.day}>Expected on</span>
          </div>
          <ul className="divide-y divide-line border-line border-y">
            {seen.map((line) => (
              <ConfirmedLine key={line.id} line={line} draft={draft} change={change} />
            ))}
          </ul>
        </>
      )}
    </ActionDialog>
  );
}

/** The columns of a line's fields and of their headings. On a phone they share a line of their own. */
const widths = { quantity: "w-20 max-sm:w-16", price: "w-24 max-sm:w-20", day: "w-36 max-sm:flex-1" };

interface ConfirmedLineProps {
  line: Line;
  draft: Said;
  change: (next: Partial<Said>) => void;
}

function ConfirmedLine({ line, draft, change }: ConfirmedLineProps) {
  const { locale } = usePlace().workspace;
  const input = (name: "quantity" | "price" | "day", label: string, more = {}) => (
    <Input
      aria-label={`${label} of ${line.sku}`}
      autoComplete="off"
      className="text-right max-md:h-11"
      value={draft[name][line.id] ?? ""}
      onFocus={(event) => event.currentTarget.select()}
      onChange={(event) => change({ [name]: { ...draft[name], [line.id]: event.currentTarget.value } })}
      {...more}
    />
  );
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 py-2">
      <span className="min-w-40 flex-1">
        <LineName line={line} />
        <span className="block min-h-4 text-warn-ink text-xs" aria-live="polite">
          {differing(line, draft, locale)}
        </span>
      </span>
      <span className="flex gap-2 max-sm:w-full">
        <span className={widths.quantity}>{input("quantity", "Quantity", { inputMode: "decimal" })}</span>
        <span className={widths.price}>{input("price", "Price", { inputMode: "decimal" })}</span>
        <span className={widths.day}>{input("day", "Day", { type: "date" })}</span>
      </span>
    </li>
  );
}

/** The difference while it is typed; nothing as long as a number is not one. */
function differing(line: Line, draft: Said, locale: string): string {
  try {
    const typed = typedDecimals(
      { quantity: draft.quantity[line.id] ?? "", price: draft.price[line.id] ?? "" },
      locale,
    );
    const ordered = termsOf(line);
    const expected = draft.day[line.id] || ordered.expected;
    const price = typed.price || ordered.price;
    const confirmed = {
      quantity: typed.quantity || ordered.quantity,
      ...(price && { price }),
      ...(expected && { expected }),
    };
    return deviationWords({ ordered, confirmed, ...(line.currency && { currency: line.currency }) }, locale);
  } catch {
    return "";
  }
}
