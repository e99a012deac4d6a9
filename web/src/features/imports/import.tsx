import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { ChevronLeft } from "lucide-react";
import { getSourceOptions } from "@/api/@tanstack/react-query.gen";
import type { Import } from "@/api/types.gen";
import { formatBytes } from "@/lib/format";
import { useLocale } from "@/lib/locale";
import { usePlace } from "@/lib/session";
import { recordsFor } from "@/messages/imports";
import { Card } from "@/ui/card";
import { ErrorNote } from "@/ui/error-note";
import { LiveNote } from "@/ui/live-note";
import { Page } from "@/ui/page";
import { SkeletonText } from "@/ui/skeleton";
import { Draft } from "./draft";
import { ImportBadge } from "./import-badge";
import { importQuery, isGoing } from "./queries";
import { Result } from "./result";
import { Running } from "./running";

/** One import, from its file to its result. The service keeps its state, so a reload loses nothing. */
export function ImportPage() {
  const { workspace } = usePlace();
  const { import: id } = useParams({ from: "/inside/w/$workspace/imports/$import" });
  const query = useQuery(importQuery(workspace.id, id));
  const { data, error, refetch } = query;
  return (
    <Page
      title={data ? `Import ${data.file_name}` : "Import"}
      description={data && <About one={data} />}
      above={data && <Above slug={data.slug} />}
    >
      {error && !data && <ErrorNote error={error} retry={refetch} />}
      <LiveNote of={query} />
      {!data && !error && <SkeletonText lines={8} label="Loading the import" />}
      {data && <Stage one={data} />}
    </Page>
  );
}

function Above({ slug }: { slug: string }) {
  const { workspace } = usePlace();
  const { data } = useQuery(getSourceOptions({ path: { workspace: workspace.id, slug } }));
  return (
    <Link
      to="/w/$workspace/sources/$slug"
      params={{ workspace: workspace.id, slug }}
      className="-ml-1 inline-flex items-center gap-0.5 rounded-sm text-muted hover:text-ink"
    >
      <ChevronLeft className="size-4" aria-hidden />
      {data?.source.title ?? slug}
    </Link>
  );
}

function About({ one }: { one: Import }) {
  const { locale } = useLocale();
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2 gap-y-1">
      <ImportBadge status={one.status} />
      <span>
        {recordsFor({ count: one.total }, locale)} <code>{one.slug}</code>
      </span>
      <span>
        {one.about}, {formatBytes(one.bytes, locale)}
      </span>
    </span>
  );
}

function Stage({ one }: { one: Import }) {
  const { can } = usePlace();
  if (isGoing(one)) return <Running one={one} />;
  if (one.status !== "ready") return <Result one={one} />;
  if (can("import_records")) return <Draft one={one} />;
  return (
    <Card>
      <p>This file has not been imported yet. A buyer or a Company-Admin can look at it and start.</p>
    </Card>
  );
}
