import type { Row, RowList } from "@/api/types.gen";
import { useLocale } from "@/lib/locale";
import type { FileColumn } from "@/lib/save-rows";
import { usePlace } from "@/lib/session";
import { shiftDay } from "@/lib/time";
import { Badge } from "@/ui/badge";
import { Card } from "@/ui/card";
import { BarChart } from "@/ui/chart/bar-chart";
import { type Column, DataList } from "@/ui/data-list";
import { Money, Num } from "@/ui/num";
import { rowsOf } from "./links";
import { textOf } from "./model";
import { AsOfField, DataAsOf, Insight, To } from "./parts";
import { seldomMs, useInsights, useRows } from "./queries";

/** Families in the chart; the list has all that are read. */
const mostBars = 10;
const mostRead = 200;
const mostMovers = 5;

const change = ({ values }: Row) => Number(values.units_4w) - Number(values.units_prev_4w);
const family = ({ values }: Row) => textOf(values.family);

/** The last four weeks of every family against the four before. */
export function Families() {
  const { workspace } = usePlace();
  const [{ as_of }] = useInsights();
  const given = as_of ? { as_of } : {};
  const query = useRows(
    "family_trend",
    { ...given, sort_by: "sales_4w", sort_desc: true, limit: mostRead },
    seldomMs,
  );
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <AsOfField shown={query.data?.as_of} />
        <To to={rowsOf(workspace.id, "family_trend", given)}>See all families</To>
      </div>
      <DataAsOf />
      <Insight
        of={query}
        empty={({ items }) => items.length === 0}
        missing="There are no articles yet; families appear with articles and their sales."
      >
        {(data) => <Trend data={data} list={query} />}
      </Insight>
    </div>
  );
}

interface TrendProps {
  data: RowList;
  list: ReturnType<typeof useRows>;
}

function Trend({ data: { items, as_of }, list }: TrendProps) {
  const link = useFamily(as_of);
  const top = items.slice(0, mostBars);
  const moved = items.filter((row) => change(row) !== 0).sort((a, b) => change(b) - change(a));
  return (
    <>
      <Card>
        <BarChart
          title="Units of families, last 4 weeks"
          across={{ label: "Family", names: top.map(family) }}
          series={[
            { label: "Last 4 weeks", values: top.map(({ values }) => Number(values.units_4w)) },
            { label: "The 4 before", values: top.map(({ values }) => Number(values.units_prev_4w)) },
          ]}
          values={{ unit: "pcs" }}
          leads={{ label: "Its articles' weeks", to: link }}
        />
      </Card>
      <div className="grid items-start gap-4 md:grid-cols-2">
        <Movers
          title="Up most"
          rows={moved.filter((row) => change(row) > 0).slice(0, mostMovers)}
          link={link}
        />
        <Movers
          title="Down most"
          rows={moved
            .filter((row) => change(row) < 0)
            .reverse()
            .slice(0, mostMovers)}
          link={link}
        />
      </div>
      <DataList
        title="Families"
        caption="Families"
        noun="family"
        list={{
          rows: items,
          previous: list.isPlaceholderData,
          error: list.error,
          refetch: list.refetch,
          live: { of: list },
        }}
        idOf={({ id }) => id}
        nameOf={family}
        columns={columnsOf(link)}
        file={fileColumns}
        card={(row) => (
          <div className="flex flex-wrap items-center justify-between gap-x-4">
            <To to={link(family(row))}>{family(row)}</To>
            <Trending row={row} />
            <span className="w-full text-muted">
              <Num value={textOf(row.values.units_4w)} /> after{" "}
              <Num value={textOf(row.values.units_prev_4w)} /> pcs
            </span>
          </div>
        )}
        empty={null}
      />
    </>
  );
}

/** Where a family leads: to the weeks of its articles that the trend compares. */
function useFamily(asOf: string | undefined) {
  const { workspace } = usePlace();
  return (name: string) =>
    rowsOf(workspace.id, "weekly_sales", {
      product: "all",
      ...(asOf && { as_of: asOf }),
      filters: {
        family: name === "Unassigned" ? { empty: true } : { eq: name },
        ...(asOf && { week_start: { gte: shiftDay(asOf, -63) } }),
      },
    });
}

type FamilyLink = ReturnType<typeof useFamily>;

function Movers({ title, rows, link }: { title: string; rows: readonly Row[]; link: FamilyLink }) {
  return (
    <Card title={title}>
      {rows.length === 0 ? (
        <p className="text-muted">No family.</p>
      ) : (
        <ul className="flex flex-col gap-2">
          {rows.map((row) => (
            <li key={row.id} className="flex flex-wrap items-baseline justify-between gap-x-3">
              <To to={link(family(row))}>{family(row)}</To>
              <span className="tabular-nums">
                <Change value={change(row)} /> pcs
              </span>
              {row.values.top_movers !== null && (
                <span className="w-full text-muted text-xs">{textOf(row.values.top_movers)}</span>
              )}
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function Change({ value }: { value: number }) {
  const { locale } = useLocale();
  return new Intl.NumberFormat(locale, { signDisplay: "exceptZero", maximumFractionDigits: 1 }).format(value);
}

const tones = { rising: "good", falling: "bad", steady: "neutral", insufficient: "neutral" } as const;

function Trending({ row: { values } }: { row: Row }) {
  const label = textOf(values.label) as keyof typeof tones;
  return (
    <span className="flex flex-wrap items-center gap-1.5">
      <Badge tone={tones[label]}>{label === "insufficient" ? "too few sales" : label}</Badge>
      {values.warn === true && <Badge tone="warn">out of stock</Badge>}
    </span>
  );
}

function Percent({ value }: { value: unknown }) {
  if (value === null) return <Num value={null} />;
  return (
    <span className="whitespace-nowrap tabular-nums">
      <Change value={Number(value)} /> %
    </span>
  );
}

const columnsOf = (link: FamilyLink): Column<Row>[] => [
  { id: "family", head: "Family", cell: (row) => <To to={link(family(row))}>{family(row)}</To> },
  { id: "label", head: "Trend", cell: (row) => <Trending row={row} /> },
  { id: "growth", head: "Change", num: true, cell: ({ values }) => <Percent value={values.growth_pct} /> },
  { id: "units", head: "Units", num: true, cell: ({ values }) => <Num value={textOf(values.units_4w)} /> },
  {
    id: "before",
    head: "Before",
    num: true,
    cell: ({ values }) => <Num value={textOf(values.units_prev_4w)} />,
  },
  {
    id: "year",
    head: "A year ago",
    num: true,
    className: "max-lg:hidden",
    cell: ({ values }) => <Percent value={values.yoy_pct} />,
  },
  {
    id: "sales",
    head: "Net sales",
    num: true,
    cell: ({ values }) => <Money amount={textOf(values.sales_4w)} />,
  },
  {
    id: "movers",
    head: "Articles that changed most",
    className: "text-muted max-xl:hidden",
    cell: ({ values }) => textOf(values.top_movers),
  },
];

const fileColumns: FileColumn<Row>[] = [
  ["Family", "family"],
  ["Trend", "label"],
  ["Change, %", "growth_pct"],
  ["Units, 4 weeks", "units_4w"],
  ["Units, 4 weeks before", "units_prev_4w"],
  ["Against a year ago, %", "yoy_pct"],
  ["Net sales", "sales_4w"],
  ["Currency", "base_currency"],
  ["Articles that changed most", "top_movers"],
].map(([name = "", field = ""]) => ({ name, value: ({ values }) => textOf(values[field]) }));
