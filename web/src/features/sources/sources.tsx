import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Search } from "lucide-react";
import { useRef, useState } from "react";
import { DropTarget, useMissedDrops } from "@/features/imports/drop-target";
import { MasterKey } from "@/features/keys/master-key";
import { matchRank } from "@/lib/match";
import { usePlace } from "@/lib/session";
import { useShortcuts } from "@/lib/shortcuts";
import { buttonClass } from "@/ui/button";
import { Card } from "@/ui/card";
import { EmptyState } from "@/ui/empty-state";
import { ErrorNote } from "@/ui/error-note";
import { Input } from "@/ui/input";
import { LiveNote } from "@/ui/live-note";
import { Page } from "@/ui/page";
import { Skeleton } from "@/ui/skeleton";
import { sourcesQuery } from "./queries";
import { SourceCard } from "./source-card";

/** Every table that takes records, each on a card. */
export function SourcesPage() {
  const { workspace, can } = usePlace();
  const query = useQuery(sourcesQuery(workspace.id));
  const { data, error, refetch } = query;
  const [wanted, setWanted] = useState("");
  const search = useRef<HTMLInputElement>(null);
  useShortcuts([{ keys: "/", label: "Search the tables", run: () => search.current?.focus() }]);
  useMissedDrops(can("import_records"));
  const found = data?.items.filter((one) => matchRank(`${one.title} ${one.slug}`, wanted) !== null);

  return (
    <Page
      title="Data sources"
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
      {error && !data && <ErrorNote error={error} retry={refetch} />}
      <LiveNote of={query} />
      {!data && !error && <Loading />}
      {found && found.length > 0 && (
        <div className="grid gap-4 lg:grid-cols-2 2xl:grid-cols-3">
          {found.map((source) => (
            <DropTarget key={source.slug} table={source.slug} title={source.title}>
              <SourceCard source={source} />
            </DropTarget>
          ))}
        </div>
      )}
      {found?.length === 0 && (
        <Card>
          <EmptyState
            icon={<Search aria-hidden />}
            action={
              <button type="button" className={buttonClass()} onClick={() => setWanted("")}>
                Show all tables
              </button>
            }
            docs={{ href: "/docs", label: "How tables take records" }}
          >
            No table is called “{wanted}”.
          </EmptyState>
        </Card>
      )}
      {can("manage_keys") && <MasterKey />}
      {!can("manage_keys") && data && (
        <p className="mt-4 text-muted">
          Keys are for Company-Admins; ask one when a system needs to send records.{" "}
          <Link
            to="/w/$workspace/members"
            params={{ workspace: workspace.id }}
            className="text-accent-ink underline"
          >
            See who is one
          </Link>
        </p>
      )}
    </Page>
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
