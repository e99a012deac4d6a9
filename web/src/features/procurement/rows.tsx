import { Link } from "@tanstack/react-router";
import { ArrowUpRight } from "lucide-react";
import type { Recommendation } from "@/api/types.gen";
import { useLocale } from "@/lib/locale";
import { usePlace } from "@/lib/session";
import { formatDay } from "@/lib/time";
import { Button } from "@/ui/button";
import type { Column } from "@/ui/data-list";
import { Money, Num } from "@/ui/num";
import { Marks, Urgency } from "./badges";
import type { Decisions } from "./decisions";
import type { RowEdits } from "./edits";
import { pickOf } from "./model";
import { Quantity } from "./quantity";
import type { QueueSearch, QueueTab } from "./search";
import { reasonText } from "./words";

interface Shared {
  tab: QueueTab;
  edits: RowEdits;
  decisions: Decisions;
  search: QueueSearch;
}

type RowProps = Shared & { row: Recommendation };

export const columns = (shared: Shared): Column<Recommendation>[] => [
  {
    id: "article",
    head: "Article",
    className: "py-1",
    cell: (row) => <Article row={row} {...shared} />,
  },
  {
    id: "why",
    head: "Why",
    className: "w-full max-w-0 py-1 text-muted max-lg:hidden",
    cell: (row) => (
      <>
        <span className="block truncate" title={reasonText(row)}>
          {reasonText(row)}
        </span>
        <Marks row={row} />
      </>
    ),
  },
  { id: "available", head: "Available", num: true, cell: (row) => <Num value={row.available} estimate /> },
  {
    id: "on-order",
    head: "On order",
    num: true,
    className: "max-lg:hidden",
    cell: (row) => <Num value={row.open_purchase_order_quantity} />,
  },
  {
    id: "cover",
    head: "Cover",
    num: true,
    className: "max-lg:hidden",
    cell: (row) => <Num value={tenths(row.days_of_cover)} unit="d" />,
  },
  {
    id: "when",
    head: "Order by",
    className: "text-xs leading-tight",
    cell: (row) => <When row={row} />,
  },
  {
    id: "quantity",
    head: "Quantity",
    num: true,
    className: "py-1",
    cell: (row) => (
      <Quantity row={row} edits={shared.edits} editable={shared.decisions.draft !== undefined} />
    ),
  },
  { id: "cost", head: "Cost", num: true, cell: (row) => <Cost row={row} edits={shared.edits} /> },
  ...(shared.decisions.restore
    ? [
        {
          id: "restore",
          head: "Restore",
          hiddenHead: true,
          className: "w-0",
          cell: (row: Recommendation) => (
            <Button size="sm" onClick={() => shared.decisions.restore?.([row])}>
              Restore
            </Button>
          ),
        },
      ]
    : []),
];

/** The name, which opens the details, and below it the SKU, which leads to the article's page. */
function Article({ row, search }: RowProps) {
  const { workspace } = usePlace();
  const params = { workspace: workspace.id };
  return (
    <span className="flex min-w-0 flex-col md:w-60">
      <Link
        to="/w/$workspace/to-order"
        params={params}
        search={{ ...search, open: row.product_id }}
        resetScroll={false}
        aria-current={search.open === row.product_id || undefined}
        className="block truncate rounded-sm font-medium leading-6 hover:underline max-md:text-base"
      >
        {row.name}
      </Link>
      <span className="flex min-w-0 items-center gap-x-2 text-muted text-xs">
        <Urgency urgency={row.urgency} />
        <Link
          to="/w/$workspace/products/$record"
          params={{ ...params, record: row.product_id }}
          className="inline-flex max-w-36 shrink-0 items-center gap-0.5 rounded-sm font-mono leading-6 hover:text-ink hover:underline"
        >
          <span className="truncate">{row.sku ?? "Article"}</span>
          <ArrowUpRight className="size-3 shrink-0" aria-hidden />
          <span className="sr-only">: the article's page</span>
        </Link>
        {!search.grouped && <span className="truncate">{row.supplier?.name ?? "No supplier"}</span>}
      </span>
      {/* On wide screens they are below the reason. */}
      <span className="lg:hidden">
        <Marks row={row} />
      </span>
    </span>
  );
}

const tenths = (value: number | undefined) => value && Math.round(value * 10) / 10;

function Day({ day }: { day: string | undefined }) {
  const { locale } = useLocale();
  if (!day) return <Num value={undefined} />;
  return (
    <time dateTime={day} className="whitespace-nowrap">
      {formatDay(day, locale, { day: "numeric", month: "short" })}
    </time>
  );
}

/** The day by which to order, and the day on which the stock runs out. */
function When({ row }: { row: Recommendation }) {
  const { order_by_date: by, projected_stockout_date: out, as_of, put_off_until: until } = row;
  return (
    <span className="flex flex-col">
      {by !== undefined && by <= as_of ? <span className="font-medium">Today</span> : <Day day={by} />}
      {out && (
        <span className="whitespace-nowrap text-muted">
          {out <= as_of ? (
            "out of stock"
          ) : (
            <>
              out <Day day={out} />
            </>
          )}
        </span>
      )}
      {until && (
        <span className="whitespace-nowrap text-muted">
          until <Day day={until} />
        </span>
      )}
    </span>
  );
}

function Cost({ row, edits }: { row: Recommendation; edits: RowEdits }) {
  const { workspace } = usePlace();
  const { cost } = pickOf(row, edits.all, workspace.locale);
  return cost ? <Money {...cost} /> : <Num value={undefined} />;
}

/** A row on a phone. */
export function RowCard(props: RowProps) {
  const { row, edits, decisions } = props;
  const { draft, putOff, restore } = decisions;
  return (
    <div className="flex flex-col gap-2">
      <Article {...props} />
      <p className="line-clamp-2 text-muted text-xs">{reasonText(row)}</p>
      <div className="flex items-start justify-between gap-3">
        <span className="text-xs leading-tight">
          <When row={row} />
        </span>
        <span className="flex items-start gap-3">
          <Quantity row={row} edits={edits} editable={draft !== undefined} />
          <span className="pt-2.5">
            <Cost row={row} edits={edits} />
          </span>
        </span>
      </div>
      {(draft || restore) && (
        <div className="flex flex-wrap gap-2">
          {draft && (
            <Button size="sm" variant="primary" onClick={() => draft([row])}>
              Draft…
            </Button>
          )}
          {putOff && (
            <>
              <Button size="sm" onClick={() => putOff("snooze", [row])}>
                Put off…
              </Button>
              <Button size="sm" variant="ghost" onClick={() => putOff("dismiss", [row])}>
                Dismiss…
              </Button>
            </>
          )}
          {restore && (
            <Button size="sm" onClick={() => restore([row])}>
              Restore
            </Button>
          )}
        </div>
      )}
    </div>
  );
}
