import { Link, useSearch } from "@tanstack/react-router";
import { CalendarPlus, Mail, PhoneCall, Truck } from "lucide-react";
import { useState } from "react";
import type { Deliveries } from "@/api/types.gen";
import { Contact } from "@/features/subject/contact";
import { cx } from "@/lib/cx";
import { focusedRow } from "@/lib/list-keys";
import type { ListRows } from "@/lib/list-rows";
import { useLocale } from "@/lib/locale";
import type { FileColumn } from "@/lib/save-rows";
import { usePlace } from "@/lib/session";
import { useShortcuts } from "@/lib/shortcuts";
import { formatDay } from "@/lib/time";
import { allOrders, daysAhead, daysLate, lines as linesOf } from "@/messages/purchasing";
import { Button, buttonClass } from "@/ui/button";
import { type Column, DataList } from "@/ui/data-list";
import { EmptyState } from "@/ui/empty-state";
import { lazyDialog } from "@/ui/lazy-dialog";
import { Time } from "@/ui/time";
import { type Delivery, daysAfter } from "./arrival-groups";
import { type Group, groupNames } from "./groups";
import { OrderLink, Totals } from "./parts";
import { useActors, useToday } from "./queries";

const dialogs = {
  remind: lazyDialog(async () => (await import("./chase-dialogs")).RemindDialog),
  date: lazyDialog(async () => (await import("./chase-dialogs")).NewDateDialog),
  called: lazyDialog(async () => (await import("./chase-dialogs")).CalledDialog),
};

type Chase = keyof typeof dialogs;

const chases = [
  { chase: "remind", label: "Remind", keys: "r", icon: <Mail aria-hidden /> },
  { chase: "date", label: "New date", keys: "d", icon: <CalendarPlus aria-hidden /> },
  { chase: "called", label: "Called", keys: "c", icon: <PhoneCall aria-hidden /> },
] as const satisfies readonly { chase: Chase; label: string; keys: string; icon: React.ReactNode }[];

interface DeliveryListProps {
  rows: readonly Delivery[];
  /** The only group that is shown. */
  group: Group | undefined;
  summary: Deliveries;
  list: Pick<ListRows<Delivery>, "error" | "refetch" | "live">;
}

const idOf = ({ group, order }: Delivery) => `${group} ${order}`;

/** Deliveries by group, and what people do about each: remind, set a new date, keep a call. */
export function DeliveryList({ rows, group, summary, list }: DeliveryListProps) {
  const { can } = usePlace();
  const [asked, setAsked] = useState<{ chase: Chase; delivery: Delivery }>();
  const able = can("change_lines");
  const focused = () => rows.find((row) => idOf(row) === focusedRow()) ?? rows[0];
  useShortcuts(
    (able ? chases : []).map(({ chase, label, keys }) => ({
      keys,
      label,
      group: "Arrivals",
      run: () => {
        const delivery = focused();
        if (delivery) setAsked({ chase, delivery });
      },
    })),
  );
  const actions = (delivery: Delivery) =>
    able && <Actions delivery={delivery} act={(chase) => setAsked({ chase, delivery })} />;
  const ChaseDialog = asked && dialogs[asked.chase];
  return (
    <>
      <DataList
        caption="Deliveries"
        noun="delivery"
        list={{ ...list, rows, previous: false }}
        idOf={idOf}
        nameOf={({ order }) => order}
        columns={
          able ? [...columns, { id: "actions", head: "Actions", hiddenHead: true, cell: actions }] : columns
        }
        file={fileColumns}
        blocks={{
          of: ({ group: of }) => of,
          head: (of) => <Head group={of as Group} summary={summary} only={Boolean(group)} rows={rows} />,
        }}
        card={(delivery) => <DeliveryCard delivery={delivery} actions={actions(delivery)} />}
        empty={<NoDelivery />}
      />
      {ChaseDialog && <ChaseDialog delivery={asked.delivery} onClosed={() => setAsked(undefined)} />}
    </>
  );
}

function NoDelivery() {
  const { workspace } = usePlace();
  return (
    <EmptyState
      icon={<Truck aria-hidden />}
      action={
        <Link
          to="/w/$workspace/purchase-orders"
          params={{ workspace: workspace.id }}
          className={buttonClass("secondary")}
        >
          Purchase orders
        </Link>
      }
      docs={{ href: "/docs/purchasing", label: "Where these days come from" }}
    >
      No delivery is expected here.
    </EmptyState>
  );
}

interface HeadProps {
  group: Group;
  summary: Deliveries;
  only: boolean;
  rows: readonly Delivery[];
}

/** A group's name, and the way to all of it if only a part is shown. */
function Head({ group, summary, only, rows }: HeadProps) {
  const { workspace } = usePlace();
  const { locale } = useLocale();
  const search = useSearch({ from: "/inside/w/$workspace/arrivals" });
  const { orders } = summary[group];
  const shown = rows.filter((row) => row.group === group).length;
  return (
    <span className="flex flex-wrap items-center justify-between gap-3">
      <span className={cx("font-medium", group === "late" && "text-bad-ink")}>{groupNames[group]}</span>
      {!only && orders > shown && (
        <Link
          to="/w/$workspace/arrivals"
          params={{ workspace: workspace.id }}
          search={{ ...search, group }}
          className="rounded-sm text-accent-ink hover:underline"
        >
          {allOrders({ count: orders }, locale)}
        </Link>
      )}
    </span>
  );
}

const columns: Column<Delivery>[] = [
  { id: "order", head: "Order", cell: (delivery) => <OrderCell delivery={delivery} /> },
  { id: "expected", head: "Expected", cell: (delivery) => <Expected delivery={delivery} /> },
  { id: "supplier", head: "Supplier", cell: (delivery) => <Supplier delivery={delivery} /> },
  {
    id: "open",
    head: "Open",
    num: true,
    className: "max-lg:hidden",
    cell: ({ value, leftOut }) => <Totals totals={value} leftOut={leftOut} className="flex-col items-end" />,
  },
  {
    id: "said",
    head: "Last said",
    className: "max-lg:hidden",
    cell: (delivery) => <LastSaid delivery={delivery} />,
  },
];

const fileColumns: FileColumn<Delivery>[] = [
  { name: "Group", value: ({ group }) => groupNames[group] },
  { name: "Order", value: ({ order }) => order },
  { name: "Suppliers", value: ({ suppliers }) => suppliers.join(", ") },
  { name: "Open", value: ({ open }) => open },
  { name: "Lines", value: ({ lines }) => String(lines.length) },
  { name: "Expected", value: ({ day }) => day ?? "" },
];

function OrderCell({ delivery: { order, lines } }: { delivery: Delivery }) {
  const { locale } = useLocale();
  return (
    <span className="flex min-w-20 flex-col">
      <OrderLink order={order} />
      <span className="whitespace-nowrap text-muted text-xs">{linesOf({ count: lines.length }, locale)}</span>
    </span>
  );
}

/** "12 days late", and the day. */
function Expected({ delivery: { group, day } }: { delivery: Delivery }) {
  const { locale } = useLocale();
  const today = useToday();
  if (!day) return <span className="text-muted">no date</span>;
  const words =
    group === "late"
      ? daysLate({ count: daysAfter(today, day) }, locale)
      : daysAhead({ count: daysAfter(day, today) }, locale);
  return (
    <span className="flex flex-col whitespace-nowrap">
      <span className={cx(group === "late" && "font-medium text-bad-ink")}>{words}</span>
      <time dateTime={day} className="text-muted text-xs">
        {formatDay(day, locale)}
      </time>
    </span>
  );
}

function Supplier({ delivery: { suppliers, contact } }: { delivery: Delivery }) {
  return (
    <span className="flex min-w-0 flex-col">
      <span className="break-words">{suppliers.join(", ") || "No supplier"}</span>
      {contact && (contact.email || contact.phone) && (
        <span className="flex flex-wrap gap-x-3 text-xs max-md:text-sm">
          <Contact email={contact.email} phone={contact.phone} />
        </span>
      )}
    </span>
  );
}

const saidVerbs = {
  comment: "commented",
  call: "called",
  reminder: "reminded",
  sent: "sent",
  confirmation: "confirmed",
};

/** "reminded 3 days ago by Ana". */
function LastSaid({ delivery: { said } }: { delivery: Delivery }) {
  const actor = useActors();
  if (!said) return null;
  return (
    <span className="text-muted text-xs" title={said.text}>
      {saidVerbs[said.kind]} <Time inline value={said.at} /> by {actor(said).replace(/^You$/, "you")}
    </span>
  );
}

function Actions({ delivery, act }: { delivery: Delivery; act: (chase: Chase) => void }) {
  return (
    <span className="flex flex-wrap gap-1.5 md:justify-end xl:flex-nowrap">
      {chases.map(({ chase, label, icon }) => (
        <Button
          key={chase}
          size="sm"
          icon={icon}
          className="max-md:h-11! max-md:flex-1"
          onClick={() => act(chase)}
        >
          {label}
          <span className="sr-only">, {delivery.order}</span>
        </Button>
      ))}
    </span>
  );
}

function DeliveryCard({ delivery, actions }: { delivery: Delivery; actions: React.ReactNode }) {
  return (
    <div className="flex flex-col gap-2">
      <div className="flex items-start justify-between gap-3">
        <OrderCell delivery={delivery} />
        <span className="text-right">
          <Expected delivery={delivery} />
        </span>
      </div>
      <div className="flex items-start justify-between gap-3">
        <Supplier delivery={delivery} />
        <Totals totals={delivery.value} leftOut={delivery.leftOut} className="shrink-0 flex-col items-end" />
      </div>
      <LastSaid delivery={delivery} />
      {actions}
    </div>
  );
}
