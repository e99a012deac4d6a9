import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { ViewsButton } from "@/features/views/views-button";
import { cx } from "@/lib/cx";
import { usePlace } from "@/lib/session";
import { Page } from "@/ui/page";
import { Tabs } from "@/ui/tabs";
import { type FailureStatus, filterOf, forOtherList, statuses } from "./filter";
import { FilterBar } from "./filter-bar";
import { countFailures } from "./open-count";
import { groupsQuery } from "./queries";
import { Running } from "./running";
import { useFailureSearch, type View, views } from "./use-search";

const labels: Record<FailureStatus, string> = { open: "Open", ignored: "Ignored", resolved: "Resolved" };

interface FrameProps {
  view: View;
  actions?: ReactNode;
  children: ReactNode;
}

/** The common frame of the two lists: title, status tabs, filter, and the switch between them. */
export function Frame({ view, actions, children }: FrameProps) {
  const { search, status, go } = useFailureSearch(view);
  const counts = useCounts();
  return (
    <Page
      title="Failed imports"
      description="Records that could not be stored, kept exactly as they were received."
      actions={
        <>
          <ViewsButton of={view === "rows" ? "failures" : "failure-groups"} view={search.view} />
          {actions}
        </>
      }
    >
      <Running />
      <div className="relative">
        <Tabs
          label="Status"
          value={status}
          onValueChange={(next) =>
            go(
              {
                ...filterOf(search),
                ...(next !== "open" && { status: next }),
                ...(search.view && { view: search.view }),
              },
              { replace: true },
            )
          }
          tabs={statuses.map((one) => ({ value: one, label: labels[one], count: counts[one] }))}
        >
          <FilterBar status={status} search={search} onChange={(next) => go(next, { replace: true })}>
            <ViewSwitch view={view} className="ml-auto md:hidden" />
          </FilterBar>
          {children}
        </Tabs>
        <ViewSwitch view={view} className="absolute top-0.5 right-0 max-md:hidden" />
      </div>
    </Page>
  );
}

function useCounts(): Record<FailureStatus, number | undefined> {
  const { workspace } = usePlace();
  const open = useQuery(groupsQuery(workspace, "open")).data;
  const ignored = useQuery(groupsQuery(workspace, "ignored")).data;
  const resolved = useQuery(groupsQuery(workspace, "resolved")).data;
  return {
    open: countFailures(open),
    ignored: countFailures(ignored),
    resolved: countFailures(resolved),
  };
}

function ViewSwitch({ view, className }: { view: View; className: string }) {
  const { workspace } = usePlace();
  const { search } = useFailureSearch(view);
  return (
    <nav
      aria-label="View"
      className={cx("inline-flex rounded-md border border-line bg-sunken p-0.5", className)}
    >
      {(["groups", "rows"] as const).map((one) => (
        <Link
          key={one}
          to={views[one]}
          params={{ workspace: workspace.id }}
          search={forOtherList(search)}
          aria-current={one === view ? "page" : undefined}
          className={cx(
            "grid h-6 place-items-center rounded-sm px-2 text-xs hover:text-ink pointer-coarse:h-8",
            one === view ? "bg-surface font-medium text-ink shadow-card dark:bg-hover" : "text-muted",
          )}
        >
          {one === "groups" ? "Groups" : "Rows"}
        </Link>
      ))}
    </nav>
  );
}
