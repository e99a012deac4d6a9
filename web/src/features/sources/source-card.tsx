import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ChevronRight, FileUp, KeyRound, Table2 } from "lucide-react";
import { useState } from "react";
import type { Source } from "@/api/types.gen";
import { CreateKey } from "@/features/keys/create-key";
import { keysQuery, opens } from "@/features/keys/queries";
import { cx } from "@/lib/cx";
import { usePlace } from "@/lib/session";
import { openFailures } from "@/messages/sources";
import { StatusBadge } from "@/ui/badge";
import { buttonClass } from "@/ui/button";
import { Card } from "@/ui/card";
import { CopyButton } from "@/ui/copy-button";
import { IconButton } from "@/ui/icon-button";
import { Num } from "@/ui/num";
import { Sparkline } from "@/ui/sparkline";
import { Time } from "@/ui/time";
import { buckets, health } from "./queries";

export function SourceCard({ source }: { source: Source }) {
  const { workspace, can } = usePlace();
  const [creating, setCreating] = useState(false);
  const keys = useQuery({ ...keysQuery(workspace.id), enabled: can("manage_keys") }).data?.items;
  return (
    <Card
      actions={
        (can("manage_keys") || can("import_records")) && (
          <>
            {can("import_records") && (
              <Link
                to="/w/$workspace/sources/$slug/import"
                params={{ workspace: workspace.id, slug: source.slug }}
                aria-label={`Import a file into ${source.title}`}
                title="Import a file, or drop one on this card"
                className={buttonClass("ghost", "sm")}
              >
                <FileUp aria-hidden />
                Import
              </Link>
            )}
            {can("manage_keys") && (
              <IconButton
                label={`Create a key for ${source.title}`}
                icon={<KeyRound />}
                size="sm"
                onClick={() => setCreating(true)}
              />
            )}
          </>
        )
      }
      title={
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <Link
            to="/w/$workspace/sources/$slug"
            params={{ workspace: workspace.id, slug: source.slug }}
            className="inline-flex items-center gap-0.5 rounded-sm hover:text-accent-ink hover:underline"
          >
            {source.title}
            <ChevronRight className="size-4 text-subtle" aria-hidden />
          </Link>
          <StatusBadge status={health(source)} />
        </span>
      }
    >
      <Endpoint address={source.endpoint} />
      <SourceTraffic source={source} />
      <SourceWarnings source={source} />
      <SourceFigures source={source} keys={keys?.filter((key) => opens(key, source.slug)).length} />
      <ViewRows source={source} />
      <CreateKey scope={source.slug} open={creating} onOpenChange={setCreating} />
    </Card>
  );
}

export function ViewRows({ source }: { source: Source }) {
  const { workspace } = usePlace();
  return (
    <Link
      to="/w/$workspace/tables/$slug"
      params={{ workspace: workspace.id, slug: source.slug }}
      className="mt-2 inline-flex min-h-6 items-center gap-1 rounded-sm text-accent-ink hover:underline"
    >
      <Table2 className="size-4" aria-hidden />
      View rows<span className="sr-only"> of {source.title}</span>
    </Link>
  );
}

export function Endpoint({ address }: { address: string }) {
  return (
    <div className="-mt-2 flex items-center gap-0.5 text-muted">
      <code className="min-w-0 truncate font-mono text-xs">POST {address}</code>
      <CopyButton value={address} label="Copy the address" />
    </div>
  );
}

export function SourceTraffic({ source }: { source: Source }) {
  const { figures } = source;
  return (
    <div className="mt-2">
      <Sparkline buckets={buckets(source)} label="Last 24 hours" className="h-10" />
      <div className="mt-1 flex justify-between gap-2 text-subtle text-xs">
        <span>
          24 hours: <Num value={figures.accepted_24h} /> good
          {figures.stale_24h > 0 && (
            <>
              {" "}
              (<Num value={figures.stale_24h} /> too old to change anything)
            </>
          )}
          , <Num value={figures.failed_24h} /> failed
        </span>
        {figures.last_record_at ? (
          <span className="text-right">
            Last record <Time value={figures.last_record_at} />
          </span>
        ) : (
          <span>No record yet</span>
        )}
      </div>
    </div>
  );
}

/** What was stored in the last 24 hours although it is probably not what its sender means. */
export function SourceWarnings({ source, explained }: { source: Source; explained?: boolean }) {
  const { warned_24h: warned } = source.figures;
  if (warned.length === 0) return null;
  return (
    <div className="mt-2 text-xs">
      <p className="text-subtle">Stored with a warning in 24 hours</p>
      <ul className={cx("mt-0.5", !explained && "flex flex-wrap gap-x-3")}>
        {warned.map(({ code, meaning, records }) => (
          <li key={code} title={explained ? undefined : meaning}>
            <span className="font-medium text-warn-ink">
              <Num value={records} /> × <code className="font-mono">{code}</code>
            </span>
            {explained && <span className="text-muted"> {meaning}</span>}
          </li>
        ))}
      </ul>
    </div>
  );
}

interface SourceFiguresProps {
  source: Source;
  /** The number of live keys; absent if the person may not know. */
  keys?: number | undefined;
}

export function SourceFigures({ source, keys }: SourceFiguresProps) {
  const { workspace } = usePlace();
  const { figures } = source;
  const facts: [name: string, value: number, alarming: boolean][] = [
    ["Rows", figures.rows, false],
    ["Open failures", figures.open_failures, figures.open_failures > 0],
    ["Pending", figures.pending_references, false],
  ];
  if (keys !== undefined) facts.push(["Keys", keys, false]);
  return (
    <dl className="mt-3 grid auto-cols-fr grid-flow-col gap-2 border-line border-t pt-3">
      {facts.map(([name, value, alarming]) => (
        <div
          key={name}
          className="min-w-0"
          title={name === "Pending" ? "Records that wait for a record they refer to" : undefined}
        >
          <dt className="truncate text-subtle text-xs">{name}</dt>
          <dd className={cx("text-base", alarming ? "font-semibold text-bad-ink" : "font-medium text-ink")}>
            {alarming ? (
              <Link
                to="/w/$workspace/failures"
                params={{ workspace: workspace.id }}
                search={{ table: source.slug }}
                aria-label={openFailures({ count: value, title: source.title }, workspace.locale)}
                className="rounded-sm underline decoration-bad-ink/40 underline-offset-3 hover:decoration-bad-ink"
              >
                <Num value={value} />
              </Link>
            ) : (
              <Num value={value} />
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
