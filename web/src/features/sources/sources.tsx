import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Search } from "lucide-react";
import { useRef, useState } from "react";
import type { Source } from "@/api/types.gen";
import { DropTarget, useMissedDrops } from "@/features/imports/drop-target";
import { MasterKey } from "@/features/keys/master-key";
import { useWholeRows } from "@/lib/list-rows";
import { matchRank } from "@/lib/match";
import { usePlace } from "@/lib/session";
import { useShortcuts } from "@/lib/shortcuts";
import { buttonClass } from "@/ui/button";
import { Card } from "@/ui/card";
import { EmptyState } from "@/ui/empty-state";
import { Input } from "@/ui/input";
import { ListStates } from "@/ui/list-states";
import { Page } from "@/ui/page";
import { Skeleton } from "@/ui/skeleton";
import { sourcesQuery } from "./queries";
import { SourceCard } from "./source-card";

/** Every table that takes records, each on a card. */
export function SourcesPage() {
  const { workspace, can } = usePlace();
  const options = sourcesQuery(workspace.id);
  const list = useWholeRows(useQuery(options), {
    queryKey: options.queryKey,
    rowsOf: ({ items }) => items,
    idOf: ({ slug }) => slug,
  });
  const [wanted, setWanted] = useState("");
  const search = useRef<HTMLInputElement>(null);
  useShortcuts([{ keys: "/", label: "Search the tables", run: () => search.current?.focus() }]);
  useMissedDrops(can("import_records"));
  const matches = (one: Source) => matchRank(`${one.title} ${one.slug}`, wanted) !== null;

  return (
    <Page
      title="Sources"
      description={
        can("import_records")
          ? "The tables that take records, and what came in. Drop a file on one to import it."
          : "The tables that external systems push records to, and what came in."
      }
      actions={
        <>
          <Link
            to="/w/$workspace/imports"
            params={{ workspace: workspace.id }}
            className={buttonClass("ghost")}
          >
            File imports
          </Link>
          <Input
            ref={search}
            aria-label="Search the tables"
            placeholder="Search"
            lead={<Search aria-hidden />}
            value={wanted}
            onChange={(event) => setWanted(event.currentTarget.value)}
            className="w-44"
          />
        </>
      }
    >
      <ListStates list={list} loading={<Loading />}>
        {(sources) => (
          <Cards sources={sources.filter(matches)} wanted={wanted} showAll={() => setWanted("")} />
        )}
      </ListStates>
      {can("manage_keys") && <MasterKey />}
      {!can("manage_keys") && list.rows && (
        <p className="mt-4 text-muted">
          Only Company-Admins can create keys. Ask one when a system needs to send records.{" "}
          <Link
            to="/w/$workspace/members"
            params={{ workspace: workspace.id }}
            className="text-accent-ink underline"
          >
            See the members
          </Link>
        </p>
      )}
    </Page>
  );
}

interface CardsProps {
  sources: readonly Source[];
  wanted: string;
  showAll: () => void;
}

function Cards({ sources, wanted, showAll }: CardsProps) {
  if (sources.length === 0)
    return (
      <Card>
        <EmptyState
          icon={<Search aria-hidden />}
          action={
            <button type="button" className={buttonClass()} onClick={showAll}>
              Show all tables
            </button>
          }
          docs={{ href: "/docs/ingest", label: "How tables take records" }}
        >
          No table is called “{wanted}”.
        </EmptyState>
      </Card>
    );
  return (
    <div className="grid gap-4 lg:grid-cols-2 2xl:grid-cols-3">
      {sources.map((source) => (
        <DropTarget key={source.slug} table={source.slug} title={source.title}>
          <SourceCard source={source} />
        </DropTarget>
      ))}
    </div>
  );
}

function Loading() {
  return (
    <div role="status" className="grid gap-4 lg:grid-cols-2 2xl:grid-cols-3">
      <span className="sr-only">Loading the tables</span>
      {["a", "b", "c", "d"].map((one) => (
        <Card key={one}>
          <div className="flex h-41 flex-col gap-3">
            <Skeleton className="w-1/3" />
            <Skeleton className="w-2/3" />
            <Skeleton className="mt-auto h-12" />
          </div>
        </Card>
      ))}
    </div>
  );
}
