import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Scale, Workflow } from "lucide-react";
import type { QueueSummary } from "@/api/types.gen";
import { usePlace } from "@/lib/session";
import { buttonClass } from "@/ui/button";
import { Checkbox } from "@/ui/checkbox";
import { ChoiceFilter, SearchField } from "@/ui/filter";
import { Page } from "@/ui/page";
import { Tabs } from "@/ui/tabs";
import { Time } from "@/ui/time";
import { supplierId } from "./model";
import { MonthLine } from "./month";
import { summaryQuery } from "./queries";
import { QueueList } from "./queue-list";
import { type QueueSearch, type QueueTab, readQueueSearch, tabs } from "./search";
import { StaleNote } from "./stale";
import { Uncomputed } from "./uncomputed";

const labels: Record<QueueTab, string> = {
  order: "To order",
  expedite: "Ask for sooner",
  upcoming: "Soon",
  drafted: "Drafted",
  put_off: "Put off",
};

/** The queue of what to order. */
export function ToOrderPage() {
  const { workspace } = usePlace();
  const search = readQueueSearch({ ...useSearch({ from: "/inside/w/$workspace/to-order" }) });
  const go = useNavigate();
  const summary = useQuery(summaryQuery(workspace.id)).data;
  const { tab = "order" } = search;
  const look = (next: QueueSearch, replace = true) =>
    void go({
      to: "/w/$workspace/to-order",
      params: { workspace: workspace.id },
      search: readQueueSearch({ ...next }),
      replace,
      resetScroll: false,
    });
  // A change of filter returns to the first page.
  const narrow = (change: QueueSearch) => look({ ...search, pages: undefined, ...change });
  return (
    <Page
      title="To order"
      description={<About summary={summary} />}
      actions={
        <>
          <Link
            to="/w/$workspace/to-order/record"
            params={{ workspace: workspace.id }}
            className={buttonClass("ghost")}
            title="Track record"
          >
            <Scale aria-hidden />
            <span className="max-md:sr-only">Track record</span>
          </Link>
          <Link
            to="/w/$workspace/agent-runs"
            params={{ workspace: workspace.id }}
            className={buttonClass("ghost")}
            title="Agent runs"
          >
            <Workflow aria-hidden />
            <span className="max-md:sr-only">Agent</span>
          </Link>
        </>
      }
    >
      {summary?.stale && (
        <div className="mb-4">
          <StaleNote stale={summary.stale} />
        </div>
      )}
      <Tabs
        label="Which articles"
        value={tab}
        onValueChange={(next) => narrow({ tab: next })}
        tabs={tabs.map((value) => ({
          value,
          label: labels[value],
          ...(summary && { count: summary.groups[value] ?? 0 }),
        }))}
      >
        <Filters search={search} narrow={narrow} summary={summary} />
        <Uncomputed summary={summary} />
        <QueueList search={search} tab={tab} summary={summary} look={look} />
      </Tabs>
    </Page>
  );
}

function About({ summary }: { summary: QueueSummary | undefined }) {
  return (
    <>
      What to buy, how much, and why.
      {summary?.computed_at && (
        <span className="text-subtle">
          {" "}
          Computed <Time inline value={summary.computed_at} />; changes follow within seconds.
        </span>
      )}
      <span className="block text-sm tabular-nums max-md:min-h-10 md:min-h-5">
        {summary && <MonthLine month={summary.month} />}
      </span>
    </>
  );
}

interface FiltersProps {
  search: QueueSearch;
  narrow: (change: QueueSearch) => void;
  summary: QueueSummary | undefined;
}

function Filters({ search, narrow, summary }: FiltersProps) {
  const names = new Map(
    summary?.suppliers.map(({ supplier }) => [supplierId(supplier), supplier?.name ?? "No supplier"]),
  );
  return (
    <search className="mb-3 flex flex-wrap items-center gap-2">
      <div className="min-w-40 flex-1 md:max-w-72">
        <SearchField
          label="Search articles"
          placeholder="Name or SKU"
          text={search.text}
          onSearch={(text) => narrow({ text })}
        />
      </div>
      <ChoiceFilter
        sorted
        label="Supplier"
        any="Any supplier"
        value={search.supplier}
        values={[...names.keys()]}
        shown={(id) => names.get(id) ?? "The chosen supplier"}
        onChange={(supplier) => narrow({ supplier })}
      />
      <div className="md:ml-auto">
        <Checkbox
          label="Group by supplier"
          checked={search.grouped === true}
          onCheckedChange={(on) => narrow({ grouped: on || undefined })}
        />
      </div>
    </search>
  );
}
