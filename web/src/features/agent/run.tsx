import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { ChevronLeft } from "lucide-react";
import type { ReactNode } from "react";
import type { Run } from "@/api/types.gen";
import { cx } from "@/lib/cx";
import { usePlace } from "@/lib/session";
import { decided } from "@/messages/agent";
import { Card } from "@/ui/card";
import { ErrorNote } from "@/ui/error-note";
import { LiveNote } from "@/ui/live-note";
import { Num } from "@/ui/num";
import { Page } from "@/ui/page";
import { Progress } from "@/ui/progress";
import { SkeletonText } from "@/ui/skeleton";
import { Tabs } from "@/ui/tabs";
import { Time } from "@/ui/time";
import { RunBadges } from "./badges";
import { DecisionList } from "./decisions";
import { useRun } from "./queries";
import type { RunSearch } from "./search";
import { UndoButton } from "./undo";
import { actorOf, canUndo, isGoing, sentence, starterOf, undoable } from "./words";

const route = "/inside/w/$workspace/agent-runs/$run";

/** One run: what it decided from, what it decided, and what came of that. */
export function RunPage() {
  const { workspace, can, person } = usePlace();
  const { run: id } = useParams({ from: route });
  const query = useRun(id);
  const { data: run, error, refetch } = query;
  return (
    <Page
      title={run?.dry ? "Dry run" : "Agent run"}
      description={
        run && (
          <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <RunBadges run={run} />
            <span>
              {starterOf(run, person.id)}, <Time inline value={run.created_at} />
            </span>
          </span>
        )
      }
      above={
        <Link
          to="/w/$workspace/agent-runs"
          params={{ workspace: workspace.id }}
          className="-ml-1 inline-flex items-center gap-0.5 rounded-sm text-muted hover:text-ink"
        >
          <ChevronLeft className="size-4" aria-hidden />
          Agent runs
        </Link>
      }
      actions={run && canUndo(run) && can("change_lines") && <UndoButton run={run} />}
    >
      {error && !run && <ErrorNote error={error} retry={refetch} />}
      <LiveNote of={query} />
      {!run && !error && <SkeletonText lines={10} label="Loading the run" />}
      {run && (
        <div className="flex flex-col gap-5">
          <Summary run={run} />
          {run.decided_at && <Decisions run={run} />}
        </div>
      )}
    </Page>
  );
}

function Summary({ run }: { run: Run }) {
  return (
    <Card>
      {run.message && (
        <p role="alert" className="rounded-md bg-bad-soft px-3 py-2 text-bad-ink not-last:mb-3">
          The run failed: {sentence(run.message)}
          {undoable(run) > 0 && " What it had drafted before stays, unless you undo the run."}
        </p>
      )}
      {isGoing(run) && <Going run={run} />}
      {run.decided_at && <Counts run={run} />}
      <Facts run={run} />
    </Card>
  );
}

/** A run at work. Leaving the page does not stop it. */
function Going({ run }: { run: Run }) {
  const { locale } = usePlace().workspace;
  const { chosen: count, submitted, drafted, refused, decided_at } = run;
  if (!decided_at)
    return (
      <p className="text-muted not-last:mb-3">
        It decides when the queue is computed. You can leave this page.
      </p>
    );
  if (run.dry) return null;
  return (
    <div className="mb-3">
      <Progress
        label="Drafted"
        parts={[
          { value: submitted, tone: "good" },
          { value: drafted, tone: "neutral" },
          { value: refused, tone: "bad" },
        ]}
        total={count}
        busy
      />
      <p className="mt-1.5 text-muted tabular-nums">
        {decided({ done: submitted + drafted + refused, count }, locale)}
      </p>
    </div>
  );
}

function Counts({ run }: { run: Run }) {
  const counts: [name: string, value: number, bad?: boolean][] = [
    ["Chosen", run.chosen],
    ...(run.dry
      ? []
      : ([
          ["Submitted", run.submitted],
          ["Drafted", run.drafted],
          ["Refused", run.refused, run.refused > 0],
        ] satisfies [string, number, boolean?][])),
    ["Left out", run.skipped],
    ...(run.undone_at
      ? ([
          ["Undone", run.undone],
          ["Kept", run.kept],
        ] satisfies [string, number][])
      : []),
  ];
  return (
    <dl className="flex flex-wrap gap-x-8 gap-y-2">
      {counts.map(([name, value, bad]) => (
        <div key={name} className="min-w-16">
          <dt className="text-subtle text-xs">{name}</dt>
          <dd className={cx("text-lg", bad ? "font-semibold text-bad-ink" : "font-medium text-ink")}>
            <Num value={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** What the run decided from, and when it did what. */
function Facts({ run }: { run: Run }) {
  const { workspace, person } = usePlace();
  const facts: [string, ReactNode][] = [];
  if (run.queue_computed_at) {
    facts.push(["Queue computed", <Time key="q" inline value={run.queue_computed_at} />]);
    facts.push([
      "Config",
      <Link
        key="c"
        to="/w/$workspace/playbook"
        params={{ workspace: workspace.id }}
        className="rounded-sm text-accent-ink hover:underline"
      >
        {run.config_version > 0 ? <>version {run.config_version}</> : "the defaults"}
      </Link>,
    ]);
  }
  if (run.decided_at) facts.push(["Decided", <Time key="d" inline value={run.decided_at} />]);
  if (run.ended_at) facts.push(["Ended", <Time key="e" inline value={run.ended_at} />]);
  if (run.undone_at)
    facts.push([
      "Undone",
      <span key="u">
        {run.undone_by && `${actorOf(run.undone_by, person.id)}, `}
        <Time inline value={run.undone_at} />
      </span>,
    ]);
  if (facts.length === 0) return null;
  return (
    <dl className="mt-3 flex flex-wrap gap-x-6 gap-y-1 border-line border-t pt-3">
      {facts.map(([name, value]) => (
        <div key={name} className="flex gap-1.5">
          <dt className="text-muted">{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Decisions({ run }: { run: Run }) {
  const { workspace } = usePlace();
  const search = useSearch({ from: route });
  const go = useNavigate();
  const look = (next: RunSearch) =>
    void go({
      to: "/w/$workspace/agent-runs/$run",
      params: { workspace: workspace.id, run: run.id },
      search: next,
      replace: true,
      resetScroll: false,
    });
  const { tab } = search;
  return (
    <Tabs
      label="Decisions"
      value={tab ?? "chosen"}
      onValueChange={(next) => look(next === "left_out" ? { tab: next } : {})}
      tabs={[
        { value: "chosen", label: "Chosen", count: run.chosen },
        { value: "left_out", label: "Left out", count: run.skipped },
      ]}
    >
      <DecisionList
        run={run}
        which={tab ? "skipped" : "chosen"}
        pages={search.pages}
        want={(pages) => look({ ...search, pages })}
      />
    </Tabs>
  );
}
