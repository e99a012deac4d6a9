import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Plus, Trash2 } from "lucide-react";
import { useId, useState } from "react";
import { draftLinesMutation } from "@/api/@tanstack/react-query.gen";
import type { LineFields } from "@/api/types.gen";
import { isDecimal, typedDecimal } from "@/lib/decimal";
import { plural } from "@/lib/format";
import { ApiError, toApiError } from "@/lib/problem";
import { usePlace } from "@/lib/session";
import { Button } from "@/ui/button";
import { Dialog, DialogClose } from "@/ui/dialog";
import { Field } from "@/ui/field";
import { IconButton } from "@/ui/icon-button";
import { Input } from "@/ui/input";
import { toast } from "@/ui/toast";
import { addTotals, lineTotal } from "./model";
import { Refusal, Totals } from "./parts";
import { ProductPicker, SupplierPicker } from "./pickers";
import { useReloadPurchasing } from "./queries";

interface Draft {
  key: number;
  sku: string;
  product?: { id: string; sku: string; name: string } | undefined;
  supplier?: { id: string; name: string } | undefined;
  quantity: string;
  price: string;
  currency: string;
  expected: string;
  note: string;
}

const empty = (key: number, currency: string): Draft => ({
  key,
  sku: "",
  quantity: "",
  price: "",
  currency,
  expected: "",
  note: "",
});

function toFields(draft: Draft, orderNo: string): LineFields {
  const optional = {
    order_no: orderNo.trim(),
    supplier_id: draft.supplier?.id,
    price_per_unit: typedDecimal(draft.price),
    currency: draft.price ? draft.currency.toUpperCase() : "",
    expected_arrival_date: draft.expected,
    note: draft.note.trim(),
  };
  return {
    // Typed on after picking: then the text is what is meant.
    ...(draft.product && draft.product.sku === draft.sku
      ? { product_id: draft.product.id }
      : { sku: draft.sku.trim() }),
    quantity_ordered: typedDecimal(draft.quantity),
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value)),
  };
}

interface NewLinesProps {
  /** The order they are for; left out: one may say, or a new one is made. */
  order?: string;
  onClosed: () => void;
}

/** Drafts several lines at once, all or none. */
export function NewLines({ order, onClosed }: NewLinesProps) {
  const { workspace } = usePlace();
  const go = useNavigate();
  const reload = useReloadPurchasing();
  const formId = useId();
  const [open, setOpen] = useState(true);
  const [orderNo, setOrderNo] = useState(order ?? "");
  const [drafts, setDrafts] = useState([empty(0, workspace.base_currency)]);
  const [failure, setFailure] = useState<ApiError>();
  const { mutateAsync, isPending } = useMutation(draftLinesMutation());

  const change = (key: number, next: Partial<Draft>) =>
    setDrafts((before) => before.map((one) => (one.key === key ? { ...one, ...next } : one)));
  const more = () =>
    setDrafts((before) => {
      const last = before.at(-1);
      const next = empty((last?.key ?? 0) + 1, last?.currency ?? workspace.base_currency);
      // Most orders go to one supplier.
      return [...before, { ...next, supplier: last?.supplier, expected: last?.expected ?? "" }];
    });

  async function save() {
    setFailure(undefined);
    try {
      const wrong = drafts.findIndex((one) => !one.sku.trim() || !isDecimal(typedDecimal(one.quantity)));
      if (wrong >= 0)
        throw new ApiError(
          {
            code: "required",
            detail: `Line ${wrong + 1} needs an article and a quantity, such as 12 or 12.5.`,
          },
          422,
        );
      const made = await mutateAsync({
        path: { workspace: workspace.id },
        body: { lines: drafts.map((one) => toFields(one, orderNo)) },
      });
      const number = made.items[0]?.order_no ?? orderNo;
      toast.success(`${made.items.length} ${plural(made.items.length, "line")} drafted in ${number}`);
      setOpen(false);
      await reload();
      if (number !== order)
        await go({
          to: "/w/$workspace/purchase-orders/$order",
          params: { workspace: workspace.id, order: number },
        });
    } catch (cause) {
      setFailure(toApiError(cause));
    }
  }

  const totals = addTotals(
    drafts.flatMap((one) => {
      const amount = lineTotal({
        price_per_unit: typedDecimal(one.price),
        quantity_ordered: typedDecimal(one.quantity),
      });
      return amount
        ? [{ currency: one.currency.length === 3 ? one.currency.toUpperCase() : "", amount }]
        : [];
    }),
  );
  return (
    <Dialog
      title={order ? `Add lines to ${order}` : "New order"}
      description="Lines are drafts until they are submitted and approved."
      size="lg"
      open={open}
      onOpenChange={(next) => !isPending && setOpen(next)}
      onClosed={onClosed}
      footer={
        <>
          <span className="flex flex-1 gap-2 text-muted">
            Total <Totals totals={totals} />
          </span>
          <DialogClose>
            <Button>Cancel</Button>
          </DialogClose>
          <Button type="submit" form={formId} variant="primary" loading={isPending}>
            Draft {drafts.length} {plural(drafts.length, "line")}
          </Button>
        </>
      }
    >
      <form
        id={formId}
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isPending) void save();
        }}
      >
        {!order && (
          <Field
            label="Order number"
            optional
            hint="Empty: the next free one. A number that exists gets more lines."
          >
            <Input
              value={orderNo}
              maxLength={100}
              autoComplete="off"
              onChange={(event) => setOrderNo(event.currentTarget.value)}
            />
          </Field>
        )}
        {drafts.map((draft, index) => (
          <DraftFields
            key={draft.key}
            draft={draft}
            number={index + 1}
            change={(next) => change(draft.key, next)}
            remove={
              drafts.length > 1
                ? () => setDrafts((before) => before.filter((one) => one.key !== draft.key))
                : undefined
            }
          />
        ))}
        <Button icon={<Plus aria-hidden />} className="self-start" onClick={more}>
          Another line
        </Button>
        {failure && <Refusal error={failure} />}
      </form>
    </Dialog>
  );
}

interface DraftFieldsProps {
  draft: Draft;
  number: number;
  change: (next: Partial<Draft>) => void;
  remove: (() => void) | undefined;
}

function DraftFields({ draft, number, change, remove }: DraftFieldsProps) {
  const named = (label: string) => `${label} of line ${number}`;
  return (
    <fieldset className="rounded-lg border border-line p-3">
      <legend className="px-1 font-medium">Line {number}</legend>
      <div className="grid gap-3 sm:grid-cols-6">
        <Labelled
          label="Article"
          className="sm:col-span-3"
          hint={draft.product?.sku === draft.sku ? draft.product?.name : undefined}
        >
          <ProductPicker
            label={named("Article")}
            placeholder="SKU or name"
            onText={(sku) => change({ sku })}
            onPick={(product) =>
              change({
                sku: product.sku,
                product,
                ...(product.supplier_id &&
                  product.supplier_name && {
                    supplier: { id: product.supplier_id, name: product.supplier_name },
                  }),
                ...(product.unit_cost && !draft.price && { price: product.unit_cost }),
                ...(product.currency && !draft.price && { currency: product.currency }),
              })
            }
          />
        </Labelled>
        <Labelled label="Supplier" className="sm:col-span-3">
          <SupplierPicker
            // A picked article brings its supplier along.
            key={draft.supplier?.id ?? ""}
            label={named("Supplier")}
            placeholder="Name"
            initial={draft.supplier?.name ?? ""}
            onPick={(supplier) => change({ supplier })}
          />
        </Labelled>
        <Labelled label="Quantity">
          <Input
            aria-label={named("Quantity")}
            inputMode="decimal"
            autoComplete="off"
            value={draft.quantity}
            onChange={(event) => change({ quantity: event.currentTarget.value })}
          />
        </Labelled>
        <Labelled label="Price each">
          <Input
            aria-label={named("Price")}
            inputMode="decimal"
            autoComplete="off"
            value={draft.price}
            onChange={(event) => change({ price: event.currentTarget.value })}
          />
        </Labelled>
        <Labelled label="Currency">
          <Input
            aria-label={named("Currency")}
            maxLength={3}
            autoComplete="off"
            value={draft.currency}
            onChange={(event) => change({ currency: event.currentTarget.value })}
          />
        </Labelled>
        <Labelled label="Expected" className="sm:col-span-2">
          <Input
            aria-label={named("Expected arrival")}
            type="date"
            value={draft.expected}
            onChange={(event) => change({ expected: event.currentTarget.value })}
          />
        </Labelled>
        <div className="flex items-end justify-end">
          {remove && <IconButton label={`Remove line ${number}`} icon={<Trash2 />} onClick={remove} />}
        </div>
        <Labelled label="Note" className="sm:col-span-6">
          <Input
            aria-label={named("Note")}
            maxLength={2000}
            autoComplete="off"
            value={draft.note}
            onChange={(event) => change({ note: event.currentTarget.value })}
          />
        </Labelled>
      </div>
    </fieldset>
  );
}

interface LabelledProps {
  label: string;
  hint?: string | undefined;
  className?: string;
  children: React.ReactNode;
}

// The field's own name says which line it is of; the short label is for the eye.
function Labelled({ label, hint, className, children }: LabelledProps) {
  return (
    <div className={className}>
      <span aria-hidden className="mb-1 block text-muted text-xs">
        {label}
      </span>
      {children}
      {hint && <span className="mt-0.5 block truncate text-muted text-xs">{hint}</span>}
    </div>
  );
}
