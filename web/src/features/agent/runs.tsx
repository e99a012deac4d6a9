import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Workflow } from "lucide-react";
import type { Run } from "@/api/types.gen";
import { usePlace } from "@/lib/session";
import { buttonClass } from "@/ui/button";
import { type Column, DataList } from "@/ui/data-list";
import { EmptyState } from "@/ui/empty-state";
import { Num } from "@/ui/num";
import { Page } from "@/ui/page";
import { Time } from "@/ui/time";
import { RunBadges } from "./badges";
import { useRuns } from "./queries";
import { StartActions } from "./start";
import { kindOf, starterOf } from "./words";

/** The runs of the procurement agent, and how to start one. */
export function RunsPage() {
  const { workspace, can } = usePlace();
  const params = { workspace: workspace.id };
  const { pages } = useSearch({ from: "/inside/w/$workspace/agent-runs" });
  const go = useNavigate();
  const want = (pages: number) =>
    void go({ to: "/w/$workspace/agent-runs", params, search: { pages }, replace: true, resetScroll: false });
  const list = useRuns(pages, want);
  return (
    <Page
      title="Agent runs"
      description="The procurement agent drafts what is to be ordered, and says why."
      actions={can("draft_lines") && <StartActions />}
    >
      <DataList
        caption="Agent runs"
        noun="run"
        list={list}
        idOf={({ id }) => id}
        nameOf={kindOf}
        columns={columns}
        card={(run) => <RunCard run={run} />}
        onOpen={({ id }) => void go({ to: "/w/$workspace/agent-runs/$run", params: { ...params, run: id } })}
        empty={<Nothing />}
      />
    </Page>
  );
}

function Nothing() {
  const { workspace } = usePlace();
  return (
    <EmptyState
      icon={<Workflow aria-hidden />}
      action={
        <Link to="/w/$workspace/playbook" params={{ workspace: workspace.id }} className={buttonClass()}>
          Open the playbook
        </Link>
      }
      docs={{ href: "/docs/agent", label: "What the agent decides, and from what" }}
    >
      The agent has not run yet. It drafts what the queue suggests, within the limits of the playbook; a dry
      run only shows what it would draft. It runs every day once “Agent daily” is on in the playbook.
    </EmptyState>
  );
}

function RunLink({ run }: { run: Run }) {
  const { workspace } = usePlace();
  return (
    <Link
      to="/w/$workspace/agent-runs/$run"
      params={{ workspace: workspace.id, run: run.id }}
      className="whitespace-nowrap rounded-sm font-medium leading-6 hover:underline"
    >
      {kindOf(run)}
    </Link>
  );
}

function Starter({ run }: { run: Run }) {
  return starterOf(run, usePlace().person.id);
}

/** Before a run has decided there is nothing to count, and a dry run drafts nothing. */
const decidedOf = (run: Run, count: number) => (run.decided_at ? count : undefined);
const madeOf = (run: Run, count: number) => (run.dry ? undefined : decidedOf(run, count));

const columns: Column<Run>[] = [
  { id: "run", head: "Run", cell: (run) => <RunLink run={run} /> },
  { id: "started", head: "Started", className: "text-muted", cell: (run) => <Time value={run.created_at} /> },
  { id: "by", head: "By", className: "w-full max-w-0 truncate", cell: (run) => <Starter run={run} /> },
  { id: "status", head: "Status", className: "whitespace-nowrap", cell: (run) => <RunBadges run={run} /> },
  { id: "chosen", head: "Chosen", num: true, cell: (run) => <Num value={decidedOf(run, run.chosen)} /> },
  {
    id: "submitted",
    head: "Submitted",
    num: true,
    cell: (run) => <Num value={madeOf(run, run.submitted)} />,
  },
  { id: "drafted", head: "Drafted", num: true, cell: (run) => <Num value={madeOf(run, run.drafted)} /> },
  {
    id: "refused",
    head: "Refused",
    num: true,
    cell: (run) => <Num value={madeOf(run, run.refused)} className={run.refused > 0 ? "text-bad-ink" : ""} />,
  },
  {
    id: "skipped",
    head: "Left out",
    num: true,
    className: "text-muted",
    cell: (run) => <Num value={decidedOf(run, run.skipped)} />,
  },
];

/** A run on a phone. */
function RunCard({ run }: { run: Run }) {
  const counts: [string, number | undefined][] = [
    ["chosen", decidedOf(run, run.chosen)],
    ["submitted", madeOf(run, run.submitted)],
    ["drafted", madeOf(run, run.drafted)],
    ["refused", madeOf(run, run.refused)],
    ["left out", decidedOf(run, run.skipped)],
  ];
  return (
    <div className="flex flex-col gap-1">
      <span className="flex flex-wrap items-center gap-x-2 text-base">
        <RunLink run={run} />
        <RunBadges run={run} />
      </span>
      <span className="text-muted">
        <Starter run={run} />, <Time inline value={run.created_at} />
      </span>
      <span className="flex flex-wrap gap-x-3 text-muted text-xs">
        {counts.map(
          ([name, count]) =>
            count !== undefined && (
              <span key={name}>
                <Num value={count} className="font-medium text-ink" /> {name}
              </span>
            ),
        )}
      </span>
    </div>
  );
}
