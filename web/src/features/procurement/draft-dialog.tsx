import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { draftRecommendations } from "@/api/sdk.gen";
import type { Line, QueueSummary } from "@/api/types.gen";
import { Amount, Refusal, Totals } from "@/features/purchasing/parts";
import { toApiError } from "@/lib/problem";
import { usePlace } from "@/lib/session";
import { drafted, linesOf, makeDrafts, notClear } from "@/messages/procurement";
import { Badge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { Dialog, DialogClose } from "@/ui/dialog";
import { Num } from "@/ui/num";
import { toast } from "@/ui/toast";
import { bySupplier, isOrderable, leftOutOf, type Picked, supplierId, totals } from "./model";
import { useReloadQueue } from "./queries";
import { Rest } from "./rest";
import { SupplierSums } from "./supplier-head";
import { termsOf } from "./terms";
import { blockedWords } from "./words";

interface DraftDialogProps {
  picks: readonly Picked[];
  summary: QueueSummary | undefined;
  onClosed: () => void;
  /** Called with the keys of the drafted rows. */
  onDone: (keys: readonly string[]) => void;
}

/** The days on which the rest of a suggestion is to come back, by its key. */
type RestDays = Record<string, string>;

/** The refusals that a person may overrule. */
const confirmable = ["recommendation_blocked", "already_drafted", "already_on_its_way"];

/** Shows what becomes a draft, supplier by supplier, and drafts all of it or nothing. */
export function DraftDialog({ picks: given, summary, onClosed, onDone }: DraftDialogProps) {
  // A poll may change the rows behind the dialog; a person decides on what they see.
  const [picks] = useState(given);
  const { workspace } = usePlace();
  const { locale } = workspace;
  const [rest, setRest] = useState<RestDays>({});
  const { mutate, error, isPending } = useDraft(picks, rest, onDone);
  const unclear = picks.filter((pick) => !isOrderable(pick)).length;
  const confirm = error !== null && confirmable.includes(toApiError(error).code);
  const count = picks.length;
  const primary = useRef<HTMLButtonElement>(null);
  return (
    <Dialog
      title={makeDrafts({ count }, locale)}
      description="Each supplier gets a new order. Drafts can be changed until they are submitted."
      size="md"
      initialFocus={primary}
      open
      onOpenChange={(open) => !open && !isPending && onClosed()}
      footer={
        <>
          <span className="flex flex-1 gap-2 text-muted">
            Total <Totals totals={totals(picks)} leftOut={leftOutOf(picks)} />
          </span>
          <DialogClose>
            <Button>Cancel</Button>
          </DialogClose>
          <Button
            ref={primary}
            variant="primary"
            loading={isPending}
            disabled={unclear > 0}
            onClick={() => mutate(confirm)}
          >
            {confirm ? "Draft all the same" : "Make drafts"}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {bySupplier(picks, (pick) => pick.supplier).map((some) => (
          <SupplierLines
            key={supplierId(some[0]?.supplier)}
            picks={some}
            summary={summary}
            rest={rest}
            onRest={(key, day) => setRest({ ...rest, [key]: day })}
          />
        ))}
        {unclear > 0 && (
          <p role="alert" className="text-bad-ink">
            {notClear({ count: unclear }, locale)}. Change it in the list.
          </p>
        )}
        {error && <Refusal error={error} />}
      </div>
    </Dialog>
  );
}

function useDraft(picks: readonly Picked[], rest: RestDays, onDone: (keys: readonly string[]) => void) {
  const { workspace } = usePlace();
  const go = useNavigate();
  const reload = useReloadQueue();
  function tell(lines: readonly Line[]) {
    const orders = [...new Set(lines.map(({ order_no }) => order_no))];
    toast.success(drafted({ count: lines.length, orders: orders.length }, workspace.locale), {
      links: orders.map((order) => ({
        label: order,
        href: `/w/${workspace.id}/purchase-orders/${encodeURIComponent(order)}`,
        go: () =>
          void go({ to: "/w/$workspace/purchase-orders/$order", params: { workspace: workspace.id, order } }),
      })),
    });
  }
  return useMutation({
    mutationFn: async (confirm: boolean) => {
      const lines = picks.map(({ row, quantity, supplier }) => ({
        recommendation_key: row.recommendation_key,
        quantity,
        ...(supplier && supplier.id !== row.supplier?.id && { supplier_id: supplier.id }),
        ...(rest[row.recommendation_key] && { rest_on: rest[row.recommendation_key] }),
      }));
      const { data } = await draftRecommendations({
        path: { workspace: workspace.id },
        body: { lines, ...(confirm && { confirm }) },
        throwOnError: true,
      });
      return data.items;
    },
    onSuccess: (lines) => {
      onDone(picks.map(({ row }) => row.recommendation_key));
      tell(lines);
    },
    onSettled: reload,
  });
}

interface SupplierLinesProps {
  picks: readonly Picked[];
  summary: QueueSummary | undefined;
  rest: RestDays;
  onRest: (key: string, day: string) => void;
}

function SupplierLines({ picks, summary, rest, onRest }: SupplierLinesProps) {
  const { workspace } = usePlace();
  const supplier = picks[0]?.supplier;
  const sums = totals(picks);
  return (
    <section aria-label={supplier?.name ?? "No supplier"}>
      <header className="flex flex-wrap items-baseline gap-x-3 border-line border-b pb-1">
        <h3 className="font-semibold">{supplier?.name ?? "No supplier"}</h3>
        <span className="text-muted text-xs">{linesOf({ count: picks.length }, workspace.locale)}</span>
        <SupplierSums sums={sums} terms={termsOf(summary, supplierId(supplier), sums)} />
      </header>
      <ul className="divide-y divide-line">
        {picks.map((pick) => (
          <li key={pick.row.recommendation_key} className="flex flex-wrap items-baseline gap-x-3 py-1.5">
            <span className="min-w-0 flex-1 truncate">{pick.row.name}</span>
            {pick.row.blocked_reason && <Badge tone="warn">{blockedWords(pick.row.blocked_reason)}</Badge>}
            <Num value={pick.quantity || undefined} />
            <span className="w-24 text-right">
              <Amount amount={pick.cost?.amount} currency={pick.cost?.currency} />
            </span>
            <Rest
              pick={pick}
              day={rest[pick.row.recommendation_key] ?? ""}
              onDay={(day) => onRest(pick.row.recommendation_key, day)}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}
