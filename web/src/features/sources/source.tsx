import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { ChevronLeft, FileUp } from "lucide-react";
import { getSourceOptions } from "@/api/@tanstack/react-query.gen";
import type { SourceDetail } from "@/api/types.gen";
import { usePlace } from "@/lib/session";
import { useShortcuts } from "@/lib/shortcuts";
import { StatusBadge } from "@/ui/badge";
import { buttonClass } from "@/ui/button";
import { Card } from "@/ui/card";
import { ErrorNote } from "@/ui/error-note";
import { LiveNote } from "@/ui/live-note";
import { Page } from "@/ui/page";
import { SkeletonText } from "@/ui/skeleton";
import { type Tab, Tabs } from "@/ui/tabs";
import { Columns } from "./columns";
import { Connect } from "./connect";
import { health, refreshEvery } from "./queries";
import { Endpoint, SourceFigures, SourceTraffic, SourceWarnings, ViewRows } from "./source-card";
import type { SourceTab } from "./tabs";
import { Templates } from "./templates";
import { TryRecord } from "./try-record";

/** One table: recent traffic, how to send records, and its columns. */
export function SourcePage() {
  const { workspace, can } = usePlace();
  const go = useNavigate();
  const { slug } = useParams({ from: "/inside/w/$workspace/sources/$slug" });
  const query = useQuery({
    ...getSourceOptions({ path: { workspace: workspace.id, slug } }),
    refetchInterval: refreshEvery,
  });
  const { data, error, refetch } = query;
  const link = {
    to: "/w/$workspace/sources/$slug/import",
    params: { workspace: workspace.id, slug },
  } as const;
  const mayImport = can("import_records");
  useShortcuts(mayImport ? [{ keys: "i", label: "Import a file", run: () => void go(link) }] : []);
  return (
    <Page
      title={data?.source.title ?? slug}
      description={data?.source.description}
      actions={
        <>
          <Link
            to="/w/$workspace/imports"
            params={{ workspace: workspace.id }}
            search={{ table: slug }}
            className={buttonClass("ghost")}
          >
            File imports
          </Link>
          {mayImport && (
            <Link {...link} className={buttonClass("primary")}>
              <FileUp aria-hidden />
              Import a file
            </Link>
          )}
        </>
      }
      above={
        <Link
          to="/w/$workspace/sources"
          params={{ workspace: workspace.id }}
          className="-ml-1 inline-flex items-center gap-0.5 rounded-sm text-muted hover:text-ink"
        >
          <ChevronLeft className="size-4" aria-hidden />
          Sources
        </Link>
      }
    >
      {error && !data && <ErrorNote error={error} retry={refetch} />}
      <LiveNote of={query} />
      {!data && !error && <SkeletonText lines={8} label="Loading the table" />}
      {data && <Detail detail={data} />}
    </Page>
  );
}

function Detail({ detail }: { detail: SourceDetail }) {
  const { can, workspace } = usePlace();
  const { source } = detail;
  const { tab } = useSearch({ from: "/inside/w/$workspace/sources/$slug" });
  const go = useNavigate();
  const tabs: Tab<SourceTab>[] = [
    { value: "connect", label: "Connect", panel: <Connect detail={detail} /> },
    { value: "columns", label: "Columns", count: detail.columns.length, panel: <Columns detail={detail} /> },
    { value: "templates", label: "Templates", panel: <Templates source={source} /> },
  ];
  if (can("send_test_records"))
    tabs.splice(2, 0, { value: "try", label: "Test record", panel: <TryRecord detail={detail} /> });
  return (
    <>
      <Card
        title={
          <span className="flex items-center gap-2">
            Last 24 hours <StatusBadge status={health(source)} />
          </span>
        }
        className="mb-5"
      >
        <Endpoint address={source.endpoint} />
        <SourceTraffic source={source} />
        <SourceWarnings source={source} explained />
        <SourceFigures source={source} />
        <ViewRows source={source} />
      </Card>
      <Tabs
        label={`About ${source.title}`}
        value={tab ?? "connect"}
        onValueChange={(next) =>
          void go({
            to: "/w/$workspace/sources/$slug",
            params: { workspace: workspace.id, slug: source.slug },
            search: next === "connect" ? {} : { tab: next },
            replace: true,
          })
        }
        tabs={tabs}
      />
    </>
  );
}
