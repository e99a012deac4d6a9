import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { ChevronLeft, Copy, Handshake, Plus, TableProperties, X } from "lucide-react";
import { Fragment, lazy, Suspense, useState } from "react";
import type { Line, Order, OrderSupplier } from "@/api/types.gen";
import { OfOrder } from "@/features/exchange/of-order";
import { SupplierLink } from "@/features/subject/links";
import { cx } from "@/lib/cx";
import { useOpenWithDraft } from "@/lib/edit";
import { useHold } from "@/lib/live";
import { useLocale } from "@/lib/locale";
import { usePlace } from "@/lib/session";
import { useShortcuts } from "@/lib/shortcuts";
import {
  cancelledLines,
  lines as linesOf,
  linesSelected,
  linesShown,
  severalSuppliers,
} from "@/messages/purchasing";
import { Button, buttonClass } from "@/ui/button";
import { Card } from "@/ui/card";
import { ErrorNote } from "@/ui/error-note";
import { IconButton } from "@/ui/icon-button";
import { lazyDialog } from "@/ui/lazy-dialog";
import { LiveNote } from "@/ui/live-note";
import { Page } from "@/ui/page";
import { SkeletonText } from "@/ui/skeleton";
import { actions, type Doable, doable, useActionDialog } from "./actions";
import { Lines } from "./lines-table";
import { linesFor, newLinesOf, sharedActions } from "./model";
import { OrderTotals } from "./order-totals";
import { Totals } from "./parts";
import { Print } from "./print";
import { useOrder } from "./queries";
import { ChangedSince, Send } from "./send";

const LineDrawer = lazy(async () => ({ default: (await import("./line-drawer")).LineDrawer }));
const AgainDialog = lazyDialog(async () => (await import("./again-dialog")).AgainDialog);
const ConfirmDialog = lazyDialog(async () => (await import("./confirm-dialog")).ConfirmDialog);
const SendDialog = lazyDialog(async () => (await import("./send-dialog")).SendDialog);
const Review = lazy(async () => ({ default: (await import("./review")).Review }));
const Timeline = lazy(async () => ({ default: (await import("./timeline")).Timeline }));
const NewLines = lazy(async () => ({ default: (await import("./new-lines")).NewLines }));

/** One order: its lines and the actions on them. */
export function OrderPage() {
  const { workspace, can } = usePlace();
  const { order } = useParams({ from: "/inside/w/$workspace/purchase-orders/$order" });
  const { list, order: head, lines, live } = useOrder(order);
  const [sending, setSending] = useState<{ supplier?: OrderSupplier | undefined }>();
  const send = (supplier?: OrderSupplier) => setSending({ supplier });
  const { error, refetch } = list;
  return (
    <Page
      title={order}
      description={head && <Summary order={head} lines={lines ?? []} />}
      above={
        <Link
          to="/w/$workspace/purchase-orders"
          params={{ workspace: workspace.id }}
          className="-ml-1 inline-flex items-center gap-0.5 rounded-sm text-muted hover:text-ink"
        >
          <ChevronLeft className="size-4" aria-hidden />
          Purchase orders
        </Link>
      }
    >
      {error && !lines && <ErrorNote error={error} retry={refetch} />}
      <LiveNote of={list} {...live} />
      {!lines && !error && <SkeletonText lines={6} label="Loading the order" />}
      {lines && head && <OrderTotals totals={head.totals} />}
      {lines && <OfOrder order={order} asks />}
      {lines && head && (
        <Work
          order={order}
          lines={lines}
          drafts={can("draft_lines")}
          send={can("send_orders") ? send : undefined}
        >
          {list.hasNextPage && (
            <div className="flex flex-wrap items-center gap-3 px-4 py-2 text-muted">
              <span>{linesShown({ shown: lines.length, count: head.lines }, workspace.locale)}</span>
              <Button size="sm" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
                Show more
              </Button>
            </div>
          )}
        </Work>
      )}
      {lines && <OfOrder order={order} />}
      {lines && (
        <Suspense>
          <Timeline order={order} send={() => send()} />
        </Suspense>
      )}
      {sending && lines && (
        <SendDialog
          order={order}
          supplier={sending.supplier}
          approvable={linesFor(lines, "approve")}
          onClosed={() => setSending(undefined)}
        />
      )}
    </Page>
  );
}

/** The suppliers by name; those that a loaded line names lead to their pages. */
function Suppliers({ order, lines }: { order: Order; lines: readonly Line[] }) {
  if (order.suppliers.length === 0) return <span>No supplier yet</span>;
  const more = order.supplier_count - order.suppliers.length;
  return (
    <span>
      {order.suppliers.map((name, at) => (
        <Fragment key={name}>
          {at > 0 && ", "}
          <SupplierLink id={lines.find((line) => line.supplier_name === name)?.supplier_id} name={name} />
        </Fragment>
      ))}
      {more > 0 && ` and ${more} more`}
    </span>
  );
}

function Summary({ order, lines }: { order: Order; lines: readonly Line[] }) {
  const { locale } = useLocale();
  return (
    <span className="flex flex-wrap gap-x-3">
      <Suppliers order={order} lines={lines} />
      <span>{linesOf({ count: order.lines }, locale)}</span>
      <Totals totals={order.totals} leftOut={order.left_out} className="font-medium text-ink" />
      {order.supplier_count > 1 && (
        <span className="text-warn-ink">{severalSuppliers({ count: order.supplier_count }, locale)}</span>
      )}
    </span>
  );
}

const isPlaced = ({ status }: Line) => status === "ordered" || status === "partially_received";

// The next actions for the whole order; all others are for selected lines.
const whole: Doable[] = ["submit", "approve", "send_back", "receive", "cancel"];

interface WorkProps {
  order: string;
  lines: readonly Line[];
  drafts: boolean;
  /** Opens the mail with the order. */
  send: ((supplier?: OrderSupplier) => void) | undefined;
  /** Below the lines. */
  children: React.ReactNode;
}

function Work({ order, lines, drafts, send, children }: WorkProps) {
  const { workspace } = usePlace();
  const go = useNavigate();
  const { line: opened } = useSearch({ from: "/inside/w/$workspace/purchase-orders/$order" });
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  // Cancelled lines are in the way, unless there are no others or one of them is asked for.
  const live = lines.filter((line) => line.status !== "cancelled");
  const removed = lines.length - live.length;
  const asked = lines.some((line) => line.id === opened && line.status === "cancelled");
  const [unfolded, setUnfolded] = useState(asked);
  const folded = !unfolded && live.length > 0;
  const [repeating, setRepeating] = useState(false);
  const [confirming, setConfirming] = useState(false);
  const confirmable = live.filter((line) => isPlaced(line) && line.actions.includes("edit")).slice(0, 500);
  useHold(chosen.size > 0);
  const [adding, setAdding] = useOpenWithDraft(newLinesOf(order));
  const selected = lines.filter((line) => chosen.has(line.id));
  const shared = sharedActions(selected);
  const offered = doable.filter(
    (action) => shared.includes(action) && (!actions[action].alone || selected.length === 1),
  );
  const actable = lines.some((line) => line.actions.some((action) => action !== "edit"));
  const { open, dialog } = useActionDialog(lines, () => setChosen(new Set()));
  const show = (line?: string) =>
    void go({
      to: "/w/$workspace/purchase-orders/$order",
      params: { workspace: workspace.id, order },
      search: line ? { line } : {},
      replace: true,
    });
  const toggle = (ids: string[], on: boolean) => {
    setChosen((before) => {
      const next = new Set(before);
      for (const id of ids) on ? next.add(id) : next.delete(id);
      return next;
    });
  };
  // Selects the focused row, as in a mail program.
  const focused = () =>
    document.activeElement?.closest("[data-line]")?.getAttribute("data-line") ?? lines[0]?.id;
  useShortcuts([
    ...(actable
      ? [
          {
            keys: "x",
            label: "Select the line",
            group: "Order",
            run: () => {
              const id = focused();
              if (id) toggle([id], !chosen.has(id));
            },
          },
        ]
      : []),
    ...doable.flatMap((action) => {
      const { keys, label, alone } = actions[action];
      const meant = selected.length > 0 ? selected : linesFor(lines, action);
      const fits = selected.length > 0 ? shared.includes(action) : meant.length > 0;
      const able = fits && (!alone || meant.length === 1);
      return keys && able
        ? [{ keys, label: label.replace("…", ""), group: "Order", run: () => open(action, meant) }]
        : [];
    }),
  ]);
  const wanted = lines.find((line) => line.id === opened);
  const toDecide = linesFor(lines, "approve");
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center gap-2">
        {whole.map((action) => (
          <WholeButton key={action} action={action} lines={linesFor(lines, action)} open={open} />
        ))}
        {send && live.some((line) => line.status !== "draft") && (
          <Send order={order} send={send} ready={live.some(isPlaced)} />
        )}
        {confirmable.length > 0 && (
          <Button
            icon={<Handshake aria-hidden />}
            className="max-md:h-11"
            onClick={() => setConfirming(true)}
          >
            Confirm…
          </Button>
        )}
        {drafts && (
          <Button icon={<Plus aria-hidden />} className="max-md:h-11" onClick={() => setAdding(true)}>
            Add lines
          </Button>
        )}
        {drafts && lines.some((line) => line.status === "draft" && line.supplier_id) && (
          <Link
            to="/w/$workspace/purchase-orders/new"
            params={{ workspace: workspace.id }}
            search={{ order }}
            className={cx(buttonClass(), "max-md:h-11")}
          >
            <TableProperties aria-hidden />
            Edit in the grid
          </Link>
        )}
        {drafts && live.some((line) => line.status !== "draft") && (
          <Button
            variant="ghost"
            icon={<Copy aria-hidden />}
            className="max-md:h-11"
            onClick={() => setRepeating(true)}
          >
            Order again…
          </Button>
        )}
        {live.length > 0 && <Print order={order} />}
      </div>
      {live.some(isPlaced) && <ChangedSince order={order} send={(supplier) => send?.(supplier)} />}
      {toDecide.length > 0 && (
        <Suspense>
          <Review order={order} lines={toDecide} />
        </Suspense>
      )}
      <Card flush>
        <Lines
          lines={folded ? live : lines}
          selected={chosen}
          toggle={actable ? toggle : undefined}
          openLine={(line) => show(line.id)}
        />
        {removed > 0 && live.length > 0 && (
          <div className="border-line border-t px-4 py-2">
            <Button size="sm" variant="ghost" aria-expanded={!folded} onClick={() => setUnfolded(folded)}>
              {folded ? cancelledLines({ count: removed }, workspace.locale) : "Hide cancelled lines"}
            </Button>
          </div>
        )}
        {children}
      </Card>
      {selected.length > 0 && (
        <section
          aria-label="Selected lines"
          className="sticky bottom-3 z-20 mt-3 flex flex-wrap items-center gap-2 rounded-lg border border-line bg-raised p-2 pl-4 shadow-pop max-md:bottom-17"
        >
          <span className="font-medium">{linesSelected({ count: selected.length }, workspace.locale)}</span>
          <span className="flex flex-1 flex-wrap gap-2">
            {offered.map((action) => (
              <Button key={action} size="sm" onClick={() => open(action, selected)}>
                {actions[action].label}
              </Button>
            ))}
            {offered.length === 0 && <span className="text-muted">No action fits all of them.</span>}
          </span>
          <IconButton
            label="Clear the selection"
            icon={<X />}
            size="sm"
            onClick={() => setChosen(new Set())}
          />
        </section>
      )}
      {wanted && (
        <Suspense>
          <LineDrawer line={wanted} onClosed={() => show()} act={(action, line) => open(action, [line])} />
        </Suspense>
      )}
      {dialog}
      {confirming && (
        <ConfirmDialog order={order} lines={confirmable} onClosed={() => setConfirming(false)} />
      )}
      {repeating && <AgainDialog lines={live} onClosed={() => setRepeating(false)} />}
      {adding && (
        <Suspense>
          <NewLines order={order} onClosed={() => setAdding(false)} />
        </Suspense>
      )}
    </>
  );
}

interface WholeButtonProps {
  action: Doable;
  lines: Line[];
  open: (action: Doable, lines: readonly Line[]) => void;
}

function WholeButton({ action, lines, open }: WholeButtonProps) {
  if (lines.length === 0) return null;
  const { label, icon: Icon, danger } = actions[action];
  return (
    <Button
      variant={danger || action === "send_back" ? "secondary" : "primary"}
      icon={<Icon aria-hidden />}
      className={danger ? "max-md:h-11" : "max-md:h-11 max-md:grow"}
      onClick={() => open(action, lines)}
    >
      {label}
    </Button>
  );
}
