import { Link } from "@tanstack/react-router";
import { Copy, Download, History, ListChecks, Wrench } from "lucide-react";
import { formatNumber } from "@/lib/format";
import { useLocale } from "@/lib/locale";
import { usePlace } from "@/lib/session";
import { buttonClass } from "@/ui/button";
import { type FailureFilter, type FailureStatus, filterOf, isFiltered } from "./filter";
import { toQuery } from "./filter-query";

/** The download address of the matching payloads. */
export function exportAddress(
  workspace: { id: string; time_zone: string },
  status: FailureStatus,
  filter: FailureFilter,
): string {
  const query = new URLSearchParams({ status, ...toQuery(filter, workspace.time_zone, Date.now()) });
  return `/api/app/workspaces/${workspace.id}/failures.ndjson?${query}`;
}

interface ListActionsProps {
  status: FailureStatus;
  filter: FailureFilter;
  /** How many match. */
  total: number | undefined;
}

/** The actions on all matching rows. */
export function ListActions({ status, filter, total }: ListActionsProps) {
  const { workspace, can } = usePlace();
  const { locale } = useLocale();
  return (
    <>
      <Link
        to="/w/$workspace/failures/retries"
        params={{ workspace: workspace.id }}
        className={buttonClass("ghost")}
      >
        <History aria-hidden />
        Bulk retries
      </Link>
      <Link
        to="/w/$workspace/failures/rules"
        params={{ workspace: workspace.id }}
        className={buttonClass("ghost")}
      >
        <ListChecks aria-hidden />
        Rules
      </Link>
      <Link
        to="/w/$workspace/failures/doubles"
        params={{ workspace: workspace.id }}
        className={buttonClass("ghost")}
      >
        <Copy aria-hidden />
        Doubles
      </Link>
      {total !== undefined && total > 0 && (
        <a href={exportAddress(workspace, status, filter)} download className={buttonClass()}>
          <Download aria-hidden />
          <span className="max-md:sr-only">Download {formatNumber(total, locale)}</span>
        </a>
      )}
      {can("retry_failures") && status === "open" && total !== undefined && total > 0 && (
        <Link
          to="/w/$workspace/failures/retry"
          params={{ workspace: workspace.id }}
          search={filterOf(filter)}
          className={buttonClass(isFiltered(filter) ? "primary" : "secondary")}
        >
          <Wrench aria-hidden />
          Fix and retry {formatNumber(total, locale)}
        </Link>
      )}
    </>
  );
}
