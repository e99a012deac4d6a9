import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useId, useRef, useState } from "react";
import { draftLinesMutation } from "@/api/@tanstack/react-query.gen";
import type { LineFields } from "@/api/types.gen";
import { isUnclear, readDecimal, typedDecimals } from "@/lib/decimal-text";
import { useEdit } from "@/lib/edit";
import { useFocusRefused } from "@/lib/focus";
import { ApiError } from "@/lib/problem";
import { usePlace } from "@/lib/session";
import { linesDraft, linesDrafted } from "@/messages/purchasing";
import { Button } from "@/ui/button";
import { Checkbox } from "@/ui/checkbox";
import { Dialog, DialogClose } from "@/ui/dialog";
import { Field } from "@/ui/field";
import { Input } from "@/ui/input";
import { toast } from "@/ui/toast";
import { UnsavedNote } from "@/ui/unsaved-note";
import { type Draft, DraftFields, numberOf } from "./draft-fields";
import { addTotals, lineTotal, newLinesOf } from "./model";
import { Refusal, Totals } from "./parts";
import { useReloadPurchasing } from "./queries";

const empty = (key: number, currency: string): Draft => ({
  key,
  sku: "",
  quantity: "",
  price: "",
  currency,
  expected: "",
  note: "",
});

/** Reads the numbers of all lines; throws one error for all ambiguous ones. */
function numbersOf(drafts: readonly Draft[], locale: string): Record<string, string> {
  const typed = drafts.flatMap((one) =>
    (["quantity", "price"] as const).map((name) => [numberOf(one, name), one[name]]),
  );
  return typedDecimals(Object.fromEntries(typed), locale);
}

function toFields(draft: Draft, orderNo: string, numbers: Record<string, string>): LineFields {
  const optional = {
    order_no: orderNo.trim(),
    supplier_id: draft.supplier?.id,
    price_per_unit: numbers[numberOf(draft, "price")],
    currency: draft.price ? draft.currency.toUpperCase() : "",
    expected_arrival_date: draft.expected,
    note: draft.note.trim(),
  };
  return {
    // The text was edited after picking, so the text counts.
    ...(draft.product && draft.product.sku === draft.sku
      ? { product_id: draft.product.id }
      : { sku: draft.sku.trim() }),
    quantity_ordered: numbers[numberOf(draft, "quantity")],
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value)),
  };
}

/** Scrolls to the refusal, which on a phone would be below the visible part. */
function intoSight(note: HTMLElement | null): void {
  note?.scrollIntoView({ block: "nearest" });
}

interface NewOrder {
  orderNo: string;
  drafts: Draft[];
  /** The person confirmed to order more of an article that is already on its way. */
  confirmed: boolean;
}

function useNewLines(order: string | undefined, onSaved: () => void) {
  const { workspace } = usePlace();
  const go = useNavigate();
  const reload = useReloadPurchasing();
  const made = useRef("");
  const { mutateAsync } = useMutation(draftLinesMutation());
  return useEdit<NewOrder, null>(newLinesOf(order), {
    seen: null,
    toDraft: () => ({ orderNo: order ?? "", drafts: [empty(0, workspace.base_currency)], confirmed: false }),
    save: async ({ orderNo, drafts, confirmed }) => {
      const wrong = drafts.findIndex((one) => !one.sku.trim() || !one.quantity.trim());
      const detail = `Line ${wrong + 1} needs an article and a quantity.`;
      if (wrong >= 0) throw new ApiError({ code: "required", detail }, 422);
      const numbers = numbersOf(drafts, workspace.locale);
      const { items } = await mutateAsync({
        path: { workspace: workspace.id },
        body: {
          lines: drafts.map((one) => toFields(one, orderNo, numbers)),
          ...(confirmed && { confirm_on_its_way: true }),
        },
      });
      made.current = items[0]?.order_no ?? orderNo;
      toast.success(linesDrafted({ count: items.length, order: made.current }, workspace.locale));
      return undefined;
    },
    onSaved: async () => {
      onSaved();
      await reload();
      const to = "/w/$workspace/purchase-orders/$order";
      if (made.current !== order) await go({ to, params: { workspace: workspace.id, order: made.current } });
    },
  });
}

interface NewLinesProps {
  /** The order that gets the lines; absent: the person may name one, or a new one is created. */
  order?: string;
  onClosed: () => void;
}

/** Drafts several lines at once, all or none. */
export function NewLines({ order, onClosed }: NewLinesProps) {
  const { workspace } = usePlace();
  const formId = useId();
  const [open, setOpen] = useState(true);
  const edit = useNewLines(order, () => setOpen(false));
  const { session, saving, failure, restored } = edit;
  const { orderNo, drafts, confirmed } = edit.draft;
  const form = useFocusRefused(failure);
  const setDrafts = (next: (before: readonly Draft[]) => Draft[]) =>
    session.type({ ...session.state.draft, drafts: next(session.state.draft.drafts) });

  const change = (key: number, next: Partial<Draft>) => {
    setDrafts((before) => before.map((one) => (one.key === key ? { ...one, ...next } : one)));
    // The confirmation does not hold for another article.
    if ("sku" in next) session.type({ ...session.state.draft, confirmed: false });
  };
  const more = () =>
    setDrafts((before) => {
      const last = before.at(-1);
      const next = empty((last?.key ?? 0) + 1, last?.currency ?? workspace.base_currency);
      // A new line starts with the same supplier, because most orders have only one.
      return [...before, { ...next, supplier: last?.supplier, expected: last?.expected ?? "" }];
    });

  const totals = addTotals(
    drafts.flatMap((one) => {
      const read = (text: string) => {
        const reading = readDecimal(text, workspace.locale);
        return "value" in reading ? reading.value : "";
      };
      const amount = lineTotal({
        price_per_unit: read(one.price),
        quantity_ordered: read(one.quantity),
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
      onOpenChange={setOpen}
      onClosed={onClosed}
      edit={edit}
      footer={
        <>
          <span className="flex flex-1 gap-2 text-muted">
            Total <Totals totals={totals} />
          </span>
          <DialogClose>
            <Button>Cancel</Button>
          </DialogClose>
          <Button type="submit" form={formId} variant="primary" loading={saving}>
            {linesDraft({ count: drafts.length }, workspace.locale)}
          </Button>
        </>
      }
    >
      <form
        ref={form}
        id={formId}
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          void session.save();
        }}
      >
        {!order && (
          <Field
            label="Order number"
            optional
            hint="Leave empty for the next free number. An existing order gets more lines."
          >
            <Input
              value={orderNo}
              maxLength={100}
              autoComplete="off"
              onChange={(event) =>
                session.type({ ...session.state.draft, orderNo: event.currentTarget.value })
              }
            />
          </Field>
        )}
        {drafts.map((draft, index) => (
          <DraftFields
            key={draft.key}
            draft={draft}
            number={index + 1}
            failure={failure}
            change={(next) => change(draft.key, next)}
            remove={
              drafts.length > 1
                ? () => setDrafts((before) => before.filter((one) => one.key !== draft.key))
                : undefined
            }
          />
        ))}
        <Button icon={<Plus aria-hidden />} className="self-start" onClick={more}>
          Add a line
        </Button>
        {restored && (
          <UnsavedNote
            onDiscard={() => {
              session.giveUp();
              setOpen(false);
            }}
          />
        )}
        {failure && !isUnclear(failure) && (
          <div key={failure.requestId} ref={intoSight}>
            <Refusal error={failure}>
              {failure.code === "already_on_its_way" && (
                <div className="mt-2 text-ink">
                  <Checkbox
                    label="Yes, order more of it"
                    checked={confirmed}
                    onCheckedChange={(on) => session.type({ ...session.state.draft, confirmed: on })}
                  />
                </div>
              )}
            </Refusal>
          </div>
        )}
      </form>
    </Dialog>
  );
}
