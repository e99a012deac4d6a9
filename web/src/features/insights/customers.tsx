import { listRows } from "@/api/sdk.gen";
import type { Row } from "@/api/types.gen";
import { statusNames, tones } from "@/features/customers/words";
import { CustomerLink } from "@/features/subject/links";
import { usePagedRows } from "@/lib/list-rows";
import { useLocale } from "@/lib/locale";
import type { FileColumn } from "@/lib/save-rows";
import { usePlace } from "@/lib/session";
import { formatDay, shiftDay } from "@/lib/time";
import { daysAhead, daysLate } from "@/messages/insights";
import { Badge } from "@/ui/badge";
import { Card } from "@/ui/card";
import { BarChart } from "@/ui/chart/bar-chart";
import { type Column, DataList } from "@/ui/data-list";
import { ChoiceFilter } from "@/ui/filter";
import { Money } from "@/ui/num";
import { rowsOf } from "./links";
import { byWeek, textOf } from "./model";
import { AsOfField, DataAsOf, Insight, To } from "./parts";
import { seldomMs, useInsights, useRows } from "./queries";
import type { CustomerStatus } from "./tabs";

const weeksBack = 4;
const weeksShown = 12;
const mostRead = 1000;

/** Who is expected to order again, and when. */
export function Customers() {
  const { workspace } = usePlace();
  const [{ as_of, status }, change] = useInsights();
  const given = as_of ? { as_of } : {};
  const all = useRows(
    "customer_reorder_due",
    { ...given, limit: 1, select_fields: ["customer_id"] },
    seldomMs,
  );
  const asOf = all.data?.as_of;
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <ChoiceFilter
          label="Customers"
          any="Due and overdue"
          value={status}
          values={Object.keys(statusNames)}
          shown={(one) => statusNames[one as CustomerStatus]}
          onChange={(next) => change({ status: next as CustomerStatus | undefined })}
        />
        <AsOfField shown={asOf} />
        <To to={rowsOf(workspace.id, "customer_reorder_due", given)}>See all customers</To>
      </div>
      <DataAsOf />
      <Insight
        of={all}
        empty={({ items }) => items.length === 0}
        missing="No customer has ordered until this day; orders that name a customer are needed."
      >
        {() => (
          <>
            {asOf && <Expected asOf={asOf} given={given} />}
            <DueList given={given} status={status} />
          </>
        )}
      </Insight>
    </div>
  );
}

/** How many customers are expected in each week. */
function Expected({ asOf, given }: { asOf: string; given: { as_of?: string } }) {
  const { workspace } = usePlace();
  const first = shiftDay(asOf, -7 * weeksBack);
  const span = (from: string, weeks: number) => ({
    expected_next_date: { gte: from, lt: shiftDay(from, 7 * weeks) },
  });
  const query = useRows(
    "customer_reorder_due",
    {
      ...given,
      filters: JSON.stringify(span(first, weeksShown)),
      select_fields: ["expected_next_date"],
      limit: mostRead,
    },
    seldomMs,
  );
  return (
    <Insight of={query} empty={() => false} missing="">
      {({ items, next_cursor }) => {
        const { days, counts } = byWeek(
          items.map(({ values }) => textOf(values.expected_next_date)),
          first,
          weeksShown,
        );
        return (
          <Card {...(next_cursor && { footer: "Only the first 1,000 customers are counted." })}>
            <BarChart
              title="Customers by the week in which they are expected"
              across={{ label: "Week from", days }}
              series={[{ label: "Customers", values: counts }]}
              height={160}
              leads={{
                label: "These customers",
                to: (week) =>
                  rowsOf(workspace.id, "customer_reorder_due", { ...given, filters: span(week, 1) }),
              }}
            />
          </Card>
        );
      }}
    </Insight>
  );
}

function DueList({ given, status }: { given: { as_of?: string }; status: CustomerStatus | undefined }) {
  const path = { workspace: usePlace().workspace.id, table: "customer_reorder_due" };
  const query = {
    ...given,
    filters: JSON.stringify({ status: status ? { eq: status } : { in: ["due", "overdue"] } }),
    sort_by: "expected_next_date",
    limit: 50,
  };
  const list = usePagedRows<Row>({
    queryKey: ["insights-customers", path, query],
    read: async (cursor, signal) => {
      const asked = { ...query, ...(cursor && { cursor }) };
      return (await listRows({ path, query: asked, signal, throwOnError: true })).data;
    },
    idOf: ({ id }) => id,
    every: seldomMs,
  });
  return (
    <DataList
      title="Customers"
      caption="Customers due to order"
      noun="customer"
      list={list}
      idOf={({ id }) => id}
      nameOf={nameOf}
      columns={columns}
      file={fileColumns}
      card={(row) => (
        <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
          <CustomerLink id={textOf(row.values.customer_id)} name={nameOf(row)} />
          <Status row={row} />
          <span className="w-full text-muted">{textOf(row.values.reason)}</span>
        </div>
      )}
      empty={<p className="px-4 py-8 text-center text-muted">No customer is in this state.</p>}
    />
  );
}

const nameOf = ({ values }: Row) => textOf(values.name) || "No name";

function Status({ row: { values } }: { row: Row }) {
  const { locale } = useLocale();
  const status = textOf(values.status) as CustomerStatus;
  const late = Number(values.days_overdue ?? 0);
  return (
    <span className="flex items-center gap-2 whitespace-nowrap">
      <Badge tone={tones[status]}>{statusNames[status]}</Badge>
      <span className="text-muted text-xs">
        {late > 0
          ? daysLate({ count: late }, locale)
          : late < 0
            ? daysAhead({ count: -late }, locale)
            : "today"}
      </span>
    </span>
  );
}

function Day({ day }: { day: unknown }) {
  const { locale } = useLocale();
  const text = textOf(day);
  return text ? (
    <time dateTime={text} className="whitespace-nowrap">
      {formatDay(text, locale)}
    </time>
  ) : (
    "–"
  );
}

const columns: Column<Row>[] = [
  {
    id: "name",
    head: "Customer",
    cell: (row) => <CustomerLink id={textOf(row.values.customer_id)} name={nameOf(row)} />,
  },
  { id: "status", head: "Status", cell: (row) => <Status row={row} /> },
  { id: "expected", head: "Expected", cell: ({ values }) => <Day day={values.expected_next_date} /> },
  { id: "last", head: "Last order", cell: ({ values }) => <Day day={values.last_order_date} /> },
  {
    id: "value",
    head: "Expected value",
    num: true,
    cell: ({ values }) => (
      <Money amount={values.expected_value === null ? null : textOf(values.expected_value)} />
    ),
  },
  {
    id: "reason",
    head: "Why",
    className: "max-w-0 truncate text-muted max-lg:hidden lg:w-1/3",
    cell: ({ values }) => <span title={textOf(values.reason)}>{textOf(values.reason)}</span>,
  },
];

const fileColumns: FileColumn<Row>[] = [
  ["Customer", "name"],
  ["Status", "status"],
  ["Days late", "days_overdue"],
  ["Expected", "expected_next_date"],
  ["Last order", "last_order_date"],
  ["Expected value", "expected_value"],
  ["Currency", "base_currency"],
  ["Usual articles", "usual_products"],
  ["Why", "reason"],
].map(([name = "", field = ""]) => ({ name, value: ({ values }) => textOf(values[field]) }));
