import { Link } from "@tanstack/react-router";
import { BookOpen, Plus, Target } from "lucide-react";
import type { Sop, Strategy } from "@/api/types.gen";
import { useNow } from "@/lib/live";
import { useLocale } from "@/lib/locale";
import { usePlace } from "@/lib/session";
import { dayIn, formatDay } from "@/lib/time";
import { Badge } from "@/ui/badge";
import { buttonClass } from "@/ui/button";
import { type Column, DataList } from "@/ui/data-list";
import { EmptyState } from "@/ui/empty-state";
import { Time } from "@/ui/time";
import { keyLabel, reviewDue, roleChoices, scopeChoices } from "./model";
import { DocumentStatus } from "./parts";
import { useSops, useStrategies } from "./queries";

const docs = { href: "/docs/playbook", label: "How the playbook works" };
const linkClass = "rounded-sm font-medium text-ink hover:underline";

function StrategyLink({ strategy }: { strategy: Strategy }) {
  const { workspace } = usePlace();
  return (
    <Link
      to="/w/$workspace/playbook/strategies/$strategy"
      params={{ workspace: workspace.id, strategy: strategy.id }}
      className={linkClass}
    >
      {strategy.title}
    </Link>
  );
}

const scopeOf = ({ scope, target }: Strategy) =>
  [scopeChoices.find(({ value }) => value === scope)?.label ?? scope, scope === "family" && target]
    .filter(Boolean)
    .join(": ");

const overridden = ({ parameters }: Strategy) =>
  Object.keys(parameters).map(keyLabel).sort().join(", ") || "–";

const strategyColumns: Column<Strategy>[] = [
  { id: "title", head: "Strategy", cell: (row) => <StrategyLink strategy={row} /> },
  { id: "scope", head: "Applies to", cell: scopeOf },
  { id: "parameters", head: "Overrides", className: "max-lg:hidden", cell: overridden },
  { id: "status", head: "Status", cell: (row) => <DocumentStatus {...row} /> },
  { id: "changed", head: "Changed", cell: (row) => <Time value={row.created_at} /> },
];

/** The strategies, by title. */
export function StrategyList() {
  const { workspace, can } = usePlace();
  const list = useStrategies();
  const create = can("manage_purchasing") && (
    <Link
      to="/w/$workspace/playbook/strategies/$strategy"
      params={{ workspace: workspace.id, strategy: "new" }}
      className={buttonClass("primary")}
    >
      <Plus aria-hidden />
      New strategy
    </Link>
  );
  return (
    <DataList
      caption="Strategies"
      noun="strategy"
      list={list}
      idOf={({ id }) => id}
      nameOf={({ title }) => title}
      columns={strategyColumns}
      title="Strategies"
      actions={list.rows?.length ? create : undefined}
      card={(row) => (
        <div className="flex flex-col gap-1">
          <StrategyLink strategy={row} />
          <span className="text-muted text-sm">{scopeOf(row)}</span>
          <DocumentStatus {...row} />
        </div>
      )}
      empty={
        <EmptyState icon={<Target aria-hidden />} action={create} docs={docs}>
          A strategy overrides figures of the config for a family, a supplier or an article, and says why.
        </EmptyState>
      }
    />
  );
}

function SopLink({ sop }: { sop: Sop }) {
  const { workspace } = usePlace();
  return (
    <Link
      to="/w/$workspace/playbook/sops/$sop"
      params={{ workspace: workspace.id, sop: sop.slug }}
      className={linkClass}
    >
      {sop.title}
    </Link>
  );
}

/** When to look at an SOP again; marked if that day has come. */
function Review({ sop }: { sop: Sop }) {
  const { locale, timeZone } = useLocale();
  const now = useNow();
  if (!sop.review_date) return <span className="text-muted">–</span>;
  const day = formatDay(sop.review_date, locale);
  return reviewDue(sop, dayIn(timeZone, new Date(now))) ? <Badge tone="warn">Review due {day}</Badge> : day;
}

const ownerOf = ({ owner_role }: Sop) =>
  roleChoices.find(({ value }) => value === owner_role)?.label ?? owner_role;

const sopColumns: Column<Sop>[] = [
  { id: "title", head: "SOP", cell: (row) => <SopLink sop={row} /> },
  { id: "trigger", head: "When", className: "max-lg:hidden", cell: ({ trigger }) => trigger || "–" },
  { id: "owner", head: "Owner", cell: ownerOf },
  { id: "status", head: "Status", cell: (row) => <DocumentStatus {...row} /> },
  { id: "review", head: "Review", cell: (row) => <Review sop={row} /> },
];

/** The SOPs, by title. */
export function SopList() {
  const { workspace, can } = usePlace();
  const list = useSops();
  const create = can("manage_purchasing") && (
    <Link
      to="/w/$workspace/playbook/sops/$sop"
      params={{ workspace: workspace.id, sop: "new" }}
      className={buttonClass("primary")}
    >
      <Plus aria-hidden />
      New SOP
    </Link>
  );
  return (
    <DataList
      caption="SOPs"
      noun="SOP"
      list={list}
      idOf={({ id }) => id}
      nameOf={({ title }) => title}
      columns={sopColumns}
      title="SOPs"
      actions={list.rows?.length ? create : undefined}
      card={(row) => (
        <div className="flex flex-col gap-1">
          <SopLink sop={row} />
          <span className="text-muted text-sm">{ownerOf(row)}</span>
          <DocumentStatus {...row} />
          <Review sop={row} />
        </div>
      )}
      empty={
        <EmptyState icon={<BookOpen aria-hidden />} action={create} docs={docs}>
          An SOP says who does what and when, such as what to do about a late delivery.
        </EmptyState>
      }
    />
  );
}
