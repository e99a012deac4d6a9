import { Trash2, Truck } from "lucide-react";
import type { Article } from "@/api/types.gen";
import { writeDecimal } from "@/lib/decimal-text";
import { useLocale } from "@/lib/locale";
import type { ApiError } from "@/lib/problem";
import { BareField } from "@/ui/field";
import { IconButton } from "@/ui/icon-button";
import { Input } from "@/ui/input";
import { ProductPicker, SupplierPicker } from "./pickers";

/** A line that is being drafted. */
export interface Draft {
  key: number;
  sku: string;
  product?: Pick<Article, "id" | "sku" | "name" | "on_its_way_words"> | undefined;
  supplier?: { id: string; name: string } | undefined;
  quantity: string;
  price: string;
  currency: string;
  expected: string;
  note: string;
}

interface DraftFieldsProps {
  draft: Draft;
  number: number;
  change: (next: Partial<Draft>) => void;
  remove: (() => void) | undefined;
  failure: ApiError | undefined;
}

/** The pointer to a line's number in a refusal. It uses the line's key, which does not change. */
export const numberOf = (draft: Draft, name: "quantity" | "price") => `line-${draft.key}/${name}`;

/** The fields of one line of a form. */
export function DraftFields({ draft, number, change, remove, failure }: DraftFieldsProps) {
  const { locale } = useLocale();
  const named = (label: string) => `${label} of line ${number}`;
  const picked = draft.product?.sku === draft.sku ? draft.product : undefined;
  return (
    <fieldset className="rounded-lg border border-line p-3">
      <legend className="px-1 font-medium">Line {number}</legend>
      <div className="grid gap-3 sm:grid-cols-6">
        <Labelled label="Article" className="sm:col-span-3" hint={picked?.name}>
          <ProductPicker
            label={named("Article")}
            placeholder="SKU or name"
            initial={draft.sku}
            onText={(sku) => change({ sku })}
            onPick={(product) =>
              change({
                sku: product.sku,
                product,
                ...(product.supplier_id &&
                  product.supplier_name && {
                    supplier: { id: product.supplier_id, name: product.supplier_name },
                  }),
                ...(product.unit_cost && !draft.price && { price: writeDecimal(product.unit_cost, locale) }),
                ...(product.currency && !draft.price && { currency: product.currency }),
              })
            }
          />
        </Labelled>
        <Labelled label="Supplier" className="sm:col-span-3">
          <SupplierPicker
            // Picking an article also fills in its supplier.
            key={draft.supplier?.id ?? ""}
            label={named("Supplier")}
            placeholder="Name"
            initial={draft.supplier?.name ?? ""}
            onPick={(supplier) => change({ supplier })}
          />
        </Labelled>
        {picked?.on_its_way_words && (
          <p
            role="status"
            className="flex items-start gap-2 rounded-md bg-warn-soft px-3 py-2 text-warn-ink sm:col-span-6"
          >
            <Truck className="mt-0.5 size-4 shrink-0" aria-hidden />
            <span className="min-w-0 break-words">Already on its way: {picked.on_its_way_words}.</span>
          </p>
        )}
        <Labelled label="Quantity" error={failure?.fieldError(numberOf(draft, "quantity"))}>
          <Input
            aria-label={named("Quantity")}
            inputMode="decimal"
            autoComplete="off"
            value={draft.quantity}
            onChange={(event) => change({ quantity: event.currentTarget.value })}
          />
        </Labelled>
        <Labelled label="Price each" error={failure?.fieldError(numberOf(draft, "price"))}>
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
  error?: string | undefined;
  className?: string;
  children: React.ReactNode;
}

// The accessible name includes the line; the visible label is short.
function Labelled({ label, hint, error, className, children }: LabelledProps) {
  return (
    <BareField error={error} className={className}>
      <span aria-hidden className="mb-1 block text-muted text-xs">
        {label}
      </span>
      {children}
      {hint && <span className="mt-0.5 block truncate text-muted text-xs">{hint}</span>}
    </BareField>
  );
}
