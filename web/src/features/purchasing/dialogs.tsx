import {
  approveLines,
  cancelLines,
  closeLinesShort,
  correctReceipt,
  reopenLines,
  sendBackLines,
  submitLines,
} from "@/api/sdk.gen";
import type { Line } from "@/api/types.gen";
import { typedDecimals } from "@/lib/decimal-text";
import { formatNumber } from "@/lib/format";
import { ApiError } from "@/lib/problem";
import { usePlace } from "@/lib/session";
import {
  linesAbout,
  linesApprove,
  linesApproved,
  linesDone,
  linesOfOrders,
  linesTo,
} from "@/messages/purchasing";
import { Button } from "@/ui/button";
import { Field } from "@/ui/field";
import { Input } from "@/ui/input";
import { Num } from "@/ui/num";
import { Textarea } from "@/ui/textarea";
import { ActionDialog } from "./action-dialog";
import { lineTotal, refs, totalsOf } from "./model";
import { Amount, Totals } from "./parts";
import { useMakers } from "./queries";

export interface LinesDialogProps {
  lines: readonly Line[];
  onClosed: () => void;
  onDone?: (() => void) | undefined;
}

const nothing = () => ({});

/** Shows exactly what is approved: lines, totals, and who made the lines. */
export function ApproveDialog({ lines, onClosed, onDone }: LinesDialogProps) {
  const { workspace } = usePlace();
  const { locale } = workspace;
  const [order = "", ...others] = new Set(lines.map((line) => line.order_no));
  return (
    <ActionDialog
      action="approve"
      fields={nothing}
      title={linesApprove({ count: lines.length }, locale)}
      description={linesOfOrders({ count: 1 + others.length, order }, locale)}
      confirm={linesApprove({ count: lines.length }, locale)}
      confirmFirst
      size="md"
      lines={lines}
      onClosed={onClosed}
      onDone={onDone}
      act={async (seen) => {
        await approveLines({
          path: { workspace: workspace.id },
          body: { lines: refs(seen) },
          throwOnError: true,
        });
        return linesApproved({ count: seen.length }, locale);
      }}
    >
      {(seen) => <Approved lines={seen} />}
    </ActionDialog>
  );
}

function Approved({ lines }: { lines: readonly Line[] }) {
  const maker = useMakers();
  const byOrder = Map.groupBy(lines, (line) => line.order_no);
  return (
    <>
      {[...byOrder].map(([order, own]) => (
        <section key={order} aria-label={`Order ${order}`}>
          <h3 className="flex justify-between gap-3 font-medium">
            <span className="break-all">{order}</span>
            <Totals totals={totalsOf(own)} />
          </h3>
          <ul className="mt-1 divide-y divide-line border-line border-y">
            {own.map((line) => (
              <li key={line.id} className="flex items-start justify-between gap-3 py-1.5">
                <span className="min-w-0">
                  <span className="block break-words">{line.product_name ?? line.sku}</span>
                  <span className="block break-words text-muted text-xs">
                    {line.sku} · {line.supplier_name ?? "no supplier"} · made by {maker(line)}
                  </span>
                </span>
                <span className="shrink-0 text-right">
                  <Amount amount={lineTotal(line)} currency={line.currency} />
                  <span className="block text-muted text-xs">
                    <Num value={line.quantity_ordered} /> ×{" "}
                    <Amount amount={line.price_per_unit} currency={line.currency} />
                  </span>
                </span>
              </li>
            ))}
          </ul>
        </section>
      ))}
      <p className="flex justify-between gap-3 font-semibold text-base">
        Total
        <Totals totals={totalsOf(lines)} />
      </p>
    </>
  );
}

/** Actions that need only a confirmation. */
const plain = {
  submit: {
    title: "Submit for approval",
    confirm: "Submit",
    done: "submitted for approval",
    about:
      "Somebody else then approves them. A change of quantity, price, currency or supplier returns them to draft.",
    tone: "primary",
    call: submitLines,
  },
  reopen: {
    title: "Reopen",
    confirm: "Reopen",
    done: "drafts again",
    about: "They become drafts again, and must be submitted and approved again.",
    tone: "primary",
    call: reopenLines,
  },
} as const;

interface PlainDialogProps extends LinesDialogProps {
  action: keyof typeof plain;
}

export function PlainDialog({ action, lines, onClosed, onDone }: PlainDialogProps) {
  const { workspace } = usePlace();
  const { title, confirm, done, about, tone, call } = plain[action];
  return (
    <ActionDialog
      action={action}
      fields={nothing}
      confirmFirst
      title={linesAbout({ what: title, count: lines.length }, workspace.locale)}
      description={about}
      confirm={linesTo({ what: confirm, count: lines.length }, workspace.locale)}
      tone={tone}
      lines={lines}
      onClosed={onClosed}
      onDone={onDone}
      act={async (seen) => {
        await call({ path: { workspace: workspace.id }, body: { lines: refs(seen) }, throwOnError: true });
        return linesDone({ what: done, count: seen.length }, workspace.locale);
      }}
    >
      {(seen) => <Approved lines={seen} />}
    </ActionDialog>
  );
}

/** Actions that need a reason. */
const reasoned = {
  send_back: {
    title: "Send back",
    about: "They become drafts, and must be submitted again.",
    done: "sent back",
    tone: "primary",
    call: sendBackLines,
  },
  cancel: {
    title: "Cancel",
    about: "Cancelled lines are not ordered. A Company-Admin can reopen them.",
    done: "cancelled",
    tone: "danger",
    call: cancelLines,
  },
  close_short: {
    title: "Close short",
    about: "What arrived stays; the rest is no longer expected.",
    done: "closed short",
    tone: "danger",
    call: closeLinesShort,
  },
} as const;

interface ReasonDialogProps extends LinesDialogProps {
  action: keyof typeof reasoned;
}

export function ReasonDialog({ action, lines, onClosed, onDone }: ReasonDialogProps) {
  const { workspace } = usePlace();
  const { title, about, done, tone, call } = reasoned[action];
  return (
    <ActionDialog
      action={action}
      fields={() => ({ reason: "" })}
      title={linesAbout({ what: title, count: lines.length }, workspace.locale)}
      description={about}
      confirm={action === "cancel" ? linesTo({ what: title, count: lines.length }, workspace.locale) : title}
      tone={tone}
      lines={lines}
      onClosed={onClosed}
      onDone={onDone}
      act={async (seen, { reason }) => {
        if (!reason.trim()) throw missing("Give a reason, for those who come later.");
        const body = { lines: refs(seen), reason };
        await call({ path: { workspace: workspace.id }, body, throwOnError: true });
        return linesDone({ what: done, count: seen.length }, workspace.locale);
      }}
    >
      {(seen, { draft, change }) => (
        <>
          <ul className="max-h-40 list-inside list-disc overflow-y-auto text-muted">
            {seen.map((line) => (
              <li key={line.id}>
                {line.product_name ?? line.sku}, <Num value={line.quantity_open} /> open
              </li>
            ))}
          </ul>
          {action === "send_back" && <ReadyReasons choose={(reason) => change({ reason })} />}
          <Reason value={draft.reason} onChange={(reason) => change({ reason })} />
        </>
      )}
    </ActionDialog>
  );
}

/** Why orders are sent back most of the time. Each of these sends the order back at once. */
const readyReasons = ["Too much", "Too expensive", "Not now", "Another supplier"];

function ReadyReasons({ choose }: { choose: (reason: string) => void }) {
  return (
    <fieldset aria-label="Send back because" className="flex flex-wrap gap-2">
      {readyReasons.map((reason) => (
        <Button key={reason} type="submit" className="max-md:h-11" onClick={() => choose(reason)}>
          {reason}
        </Button>
      ))}
    </fieldset>
  );
}

function Reason({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  return (
    <Field label="Reason" hint="Kept in the line's history.">
      <Textarea
        rows={2}
        maxLength={500}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </Field>
  );
}

function missing(detail: string): ApiError {
  return new ApiError({ code: "required", title: "Something is missing", detail }, 422);
}

/** Reverses receipts of one line. */
export function CorrectDialog({ lines, onClosed, onDone }: LinesDialogProps) {
  const { workspace } = usePlace();
  const name = lines[0]?.product_name ?? lines[0]?.sku;
  return (
    <ActionDialog
      action="correct"
      fields={() => ({ received: "", reason: "" })}
      title="Correct what arrived"
      description={`${name}: ${formatNumber(lines[0]?.quantity_received ?? "0", workspace.locale)} are booked as received.`}
      confirm="Correct"
      lines={lines}
      onClosed={onClosed}
      onDone={onDone}
      act={async ([line], { received, reason }) => {
        if (!line) throw missing("There is no line to correct.");
        if (!reason.trim()) throw missing("Give a reason, for those who come later.");
        const typed = typedDecimals({ quantity_received: received }, workspace.locale);
        await correctReceipt({
          path: { workspace: workspace.id, line: line.id },
          headers: { "If-Match": `"${line.version}"` },
          body: { ...typed, reason },
          throwOnError: true,
        });
        return `Received corrected to ${formatNumber(typed.quantity_received, workspace.locale)}`;
      }}
    >
      {(_, { draft, change, failure }) => (
        <>
          <Field
            label="Quantity that arrived"
            error={failure?.fieldError("quantity_received")}
            hint="Less than is booked; the difference is subtracted."
          >
            <Input
              inputMode="decimal"
              value={draft.received}
              onChange={(event) => change({ received: event.currentTarget.value })}
              autoComplete="off"
            />
          </Field>
          <Reason value={draft.reason} onChange={(reason) => change({ reason })} />
        </>
      )}
    </ActionDialog>
  );
}
