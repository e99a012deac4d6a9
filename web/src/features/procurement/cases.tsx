import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { CircleAlert, CircleCheck, CircleHelp, PackagePlus } from "lucide-react";
import type { ReactNode } from "react";
import type { Suggestion, TrackRecord } from "@/api/types.gen";
import { useLocale } from "@/lib/locale";
import type { FileColumn } from "@/lib/save-rows";
import { usePlace } from "@/lib/session";
import { formatDay } from "@/lib/time";
import { Badge, type Tone } from "@/ui/badge";
import { type Column, DataList } from "@/ui/data-list";
import { ChoiceFilter } from "@/ui/filter";
import { Page } from "@/ui/page";
import { BackToRecord, SpanFields } from "./record-parts";
import { caseId, useCases, useTrackRecord } from "./record-queries";
import { type CaseSearch, type Grouping, type Outcome, outcomes, readCaseSearch } from "./record-search";
import { badgesOf, type CaseBadge, groupName, outcomeWords } from "./record-words";

/** The cases of the track record, each with what became of it. */
export function CasesPage() {
  const { workspace } = usePlace();
  const search = readCaseSearch({ ...useSearch({ from: "/inside/w/$workspace/to-order/record/cases" }) });
  const go = useNavigate();
  const look = (next: CaseSearch) =>
    void go({
      to: "/w/$workspace/to-order/record/cases",
      params: { workspace: workspace.id },
      search: readCaseSearch({ ...next }),
      replace: true,
      resetScroll: false,
    });
  const list = useCases(search, (pages) => look({ ...search, pages }));
  const { from, to } = search;
  return (
    <Page
      title="Cases"
      description="What became of each suggestion."
      above={<BackToRecord search={{ from, to }} />}
    >
      <Filters search={search} narrow={(change) => look({ ...search, pages: undefined, ...change })} />
      <DataList
        caption="Cases"
        noun="case"
        list={list}
        idOf={caseId}
        nameOf={({ name }) => name}
        columns={columns}
        card={(one) => <CaseCard one={one} />}
        rowClass={() => "align-top"}
        file={fileColumns}
        empty={<p className="px-4 py-10 text-center text-muted">No suggestion of this time matches.</p>}
      />
    </Page>
  );
}

interface FiltersProps {
  search: CaseSearch;
  narrow: (change: CaseSearch) => void;
}

function Filters({ search, narrow }: FiltersProps) {
  const buyers = useTrackRecord("buyer", search).data;
  const suppliers = useTrackRecord("supplier", search).data;
  return (
    <search className="mb-3 flex flex-wrap items-center gap-2">
      <ChoiceFilter
        label="Outcome"
        any="Any outcome"
        value={search.outcome}
        values={[...outcomes]}
        shown={(outcome) => outcomeWords[outcome as Outcome]}
        onChange={(outcome) => narrow({ outcome: outcome as Outcome | undefined })}
      />
      <GroupFilter by="buyer" of={buyers} search={search} narrow={narrow} />
      <GroupFilter by="supplier" of={suppliers} search={search} narrow={narrow} />
      <SpanFields span={search} shown={buyers} onChange={narrow} />
    </search>
  );
}

interface GroupFilterProps extends FiltersProps {
  by: Exclude<Grouping, "month">;
  of: TrackRecord | undefined;
}

function GroupFilter({ by, of, search, narrow }: GroupFilterProps) {
  const { person } = usePlace();
  const { locale } = useLocale();
  const names = new Map(of?.groups.map((row) => [row.group, groupName(by, row, person.id, locale)]));
  return (
    <ChoiceFilter
      sorted
      label={by === "buyer" ? "Buyer" : "Supplier"}
      any={`Any ${by}`}
      value={search[by]}
      values={[...names.keys()]}
      shown={(group) => names.get(group) ?? `The chosen ${by}`}
      onChange={(group) => narrow({ [by]: group })}
    />
  );
}

function Article({ one }: { one: Suggestion }) {
  const { workspace } = usePlace();
  return (
    <span className="flex min-w-0 flex-col md:w-56">
      <Link
        to="/w/$workspace/products/$record"
        params={{ workspace: workspace.id, record: one.product_id }}
        className="block truncate rounded-sm font-medium leading-6 hover:underline max-md:text-base"
      >
        {one.name || "An article that is gone"}
      </Link>
      <span className="flex min-w-0 gap-x-2 text-muted text-xs">
        {one.sku && <span className="max-w-36 shrink-0 truncate font-mono">{one.sku}</span>}
        <span className="truncate">{one.supplier?.name ?? "No supplier"}</span>
      </span>
    </span>
  );
}

function Order({ one }: { one: Suggestion }) {
  const { workspace } = usePlace();
  if (!one.order_no) return null;
  return (
    <Link
      to="/w/$workspace/purchase-orders/$order"
      params={{ workspace: workspace.id, order: one.order_no }}
      className="whitespace-nowrap rounded-sm text-accent-ink leading-6 hover:underline"
    >
      {one.order_no}
    </Link>
  );
}

const looks: Record<CaseBadge, [Tone, ReactNode, string]> = {
  prevented: ["good", <CircleCheck key="i" aria-hidden />, "Prevented"],
  empty: ["bad", <CircleAlert key="i" aria-hidden />, "Ran out"],
  overbuy: ["warn", <PackagePlus key="i" aria-hidden />, "Too much"],
  not_known: ["neutral", <CircleHelp key="i" aria-hidden />, "Not known"],
};

function Badges({ one }: { one: Suggestion }) {
  return (
    <span className="inline-flex flex-wrap gap-1.5">
      {badgesOf(one).map((badge) => {
        const [tone, icon, text] = looks[badge];
        return (
          <Badge key={badge} tone={tone} icon={icon}>
            {text}
          </Badge>
        );
      })}
    </span>
  );
}

function FirstOn({ one }: { one: Suggestion }) {
  const { locale } = useLocale();
  return (
    <time dateTime={one.first_on} className="whitespace-nowrap">
      {formatDay(one.first_on, locale)}
    </time>
  );
}

const columns: Column<Suggestion>[] = [
  { id: "article", head: "Article", className: "py-1.5", cell: (one) => <Article one={one} /> },
  { id: "on", head: "Suggested", className: "py-2 text-muted", cell: (one) => <FirstOn one={one} /> },
  { id: "story", head: "What became of it", className: "w-full min-w-60 py-2", cell: ({ story }) => story },
  { id: "outcome", head: "Outcome", className: "py-2", cell: (one) => <Badges one={one} /> },
  { id: "order", head: "Order", className: "py-2", cell: (one) => <Order one={one} /> },
];

/** A case on a phone. */
function CaseCard({ one }: { one: Suggestion }) {
  return (
    <div className="flex flex-col gap-1.5">
      <Article one={one} />
      <p>{one.story}</p>
      <span className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
        <Badges one={one} />
        <Order one={one} />
      </span>
    </div>
  );
}

const fileColumns: FileColumn<Suggestion>[] = [
  { name: "Article", value: ({ name }) => name },
  { name: "SKU", value: ({ sku }) => sku ?? "" },
  { name: "Supplier", value: ({ supplier }) => supplier?.name ?? "" },
  { name: "Suggested on", value: ({ first_on }) => first_on },
  { name: "Suggested", value: ({ suggested_quantity }) => suggested_quantity },
  { name: "Decision", value: ({ decision }) => decision },
  { name: "Decided on", value: ({ decided_on }) => decided_on ?? null },
  { name: "By", value: ({ decided_by }) => decided_by?.name ?? "" },
  { name: "Ordered", value: ({ ordered_quantity }) => ordered_quantity ?? null },
  { name: "Order", value: ({ order_no }) => order_no ?? "" },
  { name: "Prevented on", value: ({ prevented_on }) => prevented_on ?? null },
  { name: "Empty days, too late", value: ({ empty_days }) => empty_days.too_late },
  { name: "Empty days, waiting", value: ({ empty_days }) => empty_days.waiting },
  { name: "Empty days, supplier", value: ({ empty_days }) => empty_days.supplier },
  { name: "Empty days, too few", value: ({ empty_days }) => empty_days.too_few },
  { name: "Bought too much", value: ({ overbuy_quantity }) => overbuy_quantity ?? null },
  { name: "Its value", value: ({ overbuy_value }) => overbuy_value ?? null },
  { name: "Currency", value: ({ currency }) => currency ?? "" },
  { name: "What became of it", value: ({ story }) => story },
];
