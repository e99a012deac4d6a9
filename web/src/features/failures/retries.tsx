import { Link } from "@tanstack/react-router";
import { ChevronLeft, History } from "lucide-react";
import { usePlace } from "@/lib/session";
import { buttonClass } from "@/ui/button";
import { Card } from "@/ui/card";
import { EmptyState } from "@/ui/empty-state";
import { ListStates } from "@/ui/list-states";
import { Page } from "@/ui/page";
import { SkeletonText } from "@/ui/skeleton";
import { BulkCard } from "./bulk-card";
import { useBulkRetries } from "./bulk-queries";
import { views } from "./use-search";

/** The bulk retries: those running, and the results of the others. */
export function BulkRetriesPage() {
  const { workspace } = usePlace();
  const list = useBulkRetries();
  const params = { workspace: workspace.id };
  return (
    <Page
      title="Bulk retries"
      description="Bulk retries run in the background. You can close this page; it shows their progress when you come back."
      above={
        <Link
          to={views.groups}
          params={params}
          className="-ml-1 inline-flex items-center gap-0.5 rounded-sm text-muted hover:text-ink"
        >
          <ChevronLeft className="size-4" aria-hidden />
          Failed imports
        </Link>
      }
    >
      <ListStates list={list} loading={<SkeletonText lines={6} label="Loading the bulk retries" />}>
        {(rows) => (
          <Card flush>
            {rows.length === 0 ? (
              <EmptyState
                icon={<History aria-hidden />}
                action={
                  <Link to={views.groups} params={params} className={buttonClass()}>
                    See the failed imports
                  </Link>
                }
                docs={{ href: "/docs/failed-imports", label: "How bulk retries work" }}
              >
                No bulk retries yet.
              </EmptyState>
            ) : (
              <div className="divide-y divide-line">
                {rows.map((bulk) => (
                  <BulkCard key={bulk.id} bulk={bulk} />
                ))}
              </div>
            )}
          </Card>
        )}
      </ListStates>
    </Page>
  );
}
