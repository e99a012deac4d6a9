import type { TrackRecord, TrackRecordGroup } from "@/api/types.gen";
import { Totals } from "@/features/purchasing/parts";
import { useLocale } from "@/lib/locale";
import type { FileColumn } from "@/lib/save-rows";
import { usePlace } from "@/lib/session";
import { type Column, DataList } from "@/ui/data-list";
import { Num } from "@/ui/num";
import { CasesLink } from "./record-parts";
import type { useTrackRecord } from "./record-queries";
import { casesOf, type Grouping, type Outcome, type Span } from "./record-search";
import { causeWords, emptySum, groupName, notOrderedSum, orderedSum } from "./record-words";

interface RecordTableProps {
  record: TrackRecord;
  span: Span;
  query: ReturnType<typeof useTrackRecord>;
}

const heads: Record<Grouping, string> = { buyer: "Buyer", supplier: "Supplier", month: "Month" };

/** The figures of each group. Each leads to its cases. */
export function RecordTable({ record, span, query }: RecordTableProps) {
  const { person } = usePlace();
  const { locale } = useLocale();
  // Until the answer arrives, the groups are those of the tab before.
  const { by, groups } = record;
  const name = (row: TrackRecordGroup) => groupName(by, row, person.id, locale);
  const of = { by, span, name };
  const { isPlaceholderData, error, refetch } = query;
  return (
    <DataList
      caption={`Track record by ${by}`}
      noun={by}
      list={{ rows: groups, previous: isPlaceholderData, error, refetch, live: { of: query } }}
      idOf={({ group }) => group}
      nameOf={name}
      columns={columnsOf(of)}
      card={(row) => <GroupCard row={row} {...of} />}
      rowClass={() => "align-top"}
      file={[{ name: heads[by], value: name }, ...fileColumns]}
      empty={null}
    />
  );
}

interface Of {
  by: Grouping;
  span: Span;
  name: (row: TrackRecordGroup) => string;
}

interface FigureProps extends Of {
  row: TrackRecordGroup;
}

function Name({ row, by, span, name }: FigureProps) {
  return (
    <CasesLink
      search={casesOf(by, row.group, span)}
      className="rounded-sm font-medium leading-6 hover:underline"
    >
      {name(row)}
    </CasesLink>
  );
}

interface CountProps extends FigureProps {
  count: number;
  outcome: Outcome;
}

/** A count that leads to its cases. */
function Count({ row, by, span, count, outcome }: CountProps) {
  if (count === 0) return <Num value={0} className="text-muted" />;
  return (
    <CasesLink search={{ ...casesOf(by, row.group, span), outcome }}>
      <Num value={count} />
    </CasesLink>
  );
}

function Empty(props: FigureProps) {
  const { locale } = useLocale();
  const { empty_days } = props.row.figures;
  return (
    <>
      <Count {...props} count={emptySum(empty_days)} outcome="empty" />
      {emptySum(empty_days) > 0 && (
        <span className="block text-muted text-xs max-md:inline max-md:before:content-[':_']">
          {causeWords(empty_days, locale)}
        </span>
      )}
    </>
  );
}

function Overbuy({ row: { figures } }: { row: TrackRecordGroup }) {
  return <Totals totals={figures.overbuy.map(({ currency, value }) => ({ currency, amount: value }))} />;
}

const columnsOf = (of: Of): Column<TrackRecordGroup>[] => [
  { id: "group", head: heads[of.by], className: "py-1.5", cell: (row) => <Name row={row} {...of} /> },
  {
    id: "suggested",
    head: "Suggested",
    num: true,
    className: "py-2",
    cell: ({ figures }) => <Num value={figures.suggested} />,
  },
  {
    id: "ordered",
    head: "Ordered",
    num: true,
    className: "py-2",
    cell: ({ figures }) => <Num value={orderedSum(figures)} />,
  },
  {
    id: "not",
    head: "Not ordered",
    num: true,
    className: "py-2",
    cell: ({ figures }) => <Num value={notOrderedSum(figures)} />,
  },
  {
    id: "days",
    head: "Days to decide",
    num: true,
    className: "py-2 max-lg:hidden",
    cell: ({ figures }) => <Num value={figures.median_days_to_decide} estimate />,
  },
  {
    id: "prevented",
    head: "Prevented",
    num: true,
    className: "py-2",
    cell: (row) => <Count row={row} {...of} count={row.figures.prevented} outcome="prevented" />,
  },
  {
    id: "empty",
    head: "Days without stock",
    num: true,
    className: "py-2",
    cell: (row) => <Empty row={row} {...of} />,
  },
  {
    id: "overbuy",
    head: "Bought too much",
    num: true,
    className: "py-2",
    cell: (row) => <Overbuy row={row} />,
  },
];

/** A group on a phone. */
function GroupCard({ row, ...of }: FigureProps) {
  const { figures } = row;
  return (
    <div className="flex flex-col gap-1">
      <span className="text-base">
        <Name row={row} {...of} />
      </span>
      <span className="text-muted">
        <Num value={figures.suggested} /> suggested, <Num value={orderedSum(figures)} /> ordered,{" "}
        <Num value={notOrderedSum(figures)} /> not
      </span>
      <span className="flex flex-wrap gap-x-4">
        <span>
          <span className="text-muted">Prevented</span>{" "}
          <Count row={row} {...of} count={figures.prevented} outcome="prevented" />
        </span>
        <span>
          <span className="text-muted">Without stock, days</span> <Empty row={row} {...of} />
        </span>
        {figures.overbuy.length > 0 && (
          <span className="flex gap-1">
            <span className="text-muted">Too much</span> <Overbuy row={row} />
          </span>
        )}
      </span>
    </div>
  );
}

const fileColumns: FileColumn<TrackRecordGroup>[] = [
  { name: "Suggested", value: ({ figures }) => figures.suggested },
  { name: "Ordered as suggested", value: ({ figures }) => figures.as_suggested },
  { name: "Ordered fewer", value: ({ figures }) => figures.less },
  { name: "Ordered more", value: ({ figures }) => figures.more },
  { name: "Turned down", value: ({ figures }) => figures.turned_down },
  { name: "Put off", value: ({ figures }) => figures.put_off },
  { name: "Undecided", value: ({ figures }) => figures.undecided },
  { name: "Taken back", value: ({ figures }) => figures.taken_back },
  { name: "Median days to decide", value: ({ figures }) => figures.median_days_to_decide ?? null },
  { name: "Judged", value: ({ figures }) => figures.judged },
  { name: "Not known", value: ({ figures }) => figures.not_known },
  { name: "Prevented", value: ({ figures }) => figures.prevented },
  { name: "Empty days, too late", value: ({ figures }) => figures.empty_days.too_late },
  { name: "Empty days, waiting", value: ({ figures }) => figures.empty_days.waiting },
  { name: "Empty days, supplier", value: ({ figures }) => figures.empty_days.supplier },
  { name: "Empty days, too few", value: ({ figures }) => figures.empty_days.too_few },
  {
    name: "Bought too much",
    value: ({ figures }) => figures.overbuy.map(({ value, currency }) => `${value} ${currency}`).join(", "),
  },
];
