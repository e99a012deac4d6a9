import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Plus, Search } from "lucide-react";
import { useRef, useState } from "react";
import { matchRank } from "@/lib/match";
import { usePlace } from "@/lib/session";
import { useShortcuts } from "@/lib/shortcuts";
import { columns } from "@/messages/tables";
import { Badge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { ErrorNote } from "@/ui/error-note";
import { Input } from "@/ui/input";
import { lazyDialog } from "@/ui/lazy-dialog";
import { Page } from "@/ui/page";
import { SkeletonText } from "@/ui/skeleton";
import { tablesQuery } from "./queries";
import { RetiredTables } from "./retired-tables";

const NewTable = lazyDialog(async () => (await import("./new-table")).NewTable);

/** The list of all tables. */
export function TablesPage() {
  const { workspace, can } = usePlace();
  const { data, error, refetch } = useQuery(tablesQuery(workspace.id));
  const [wanted, setWanted] = useState("");
  const [making, setMaking] = useState(false);
  const search = useRef<HTMLInputElement>(null);
  useShortcuts([{ keys: "/", label: "Search the tables", run: () => search.current?.focus() }]);
  const found = data?.items.filter((one) => matchRank(`${one.title} ${one.slug}`, wanted) !== null);
  return (
    <Page
      title="Tables"
      description="Every record of the workspace: look through them, filter, correct, export."
      actions={
        <>
          <Input
            ref={search}
            aria-label="Search the tables"
            placeholder="Search"
            lead={<Search aria-hidden />}
            value={wanted}
            onChange={(event) => setWanted(event.currentTarget.value)}
            className="w-44"
          />
          {can("define_tables") && (
            <Button icon={<Plus aria-hidden />} onClick={() => setMaking(true)}>
              New table
            </Button>
          )}
        </>
      }
    >
      {error && <ErrorNote error={error} retry={refetch} />}
      {!data && !error && <SkeletonText lines={8} label="Loading the tables" />}
      {found?.length === 0 && <p className="text-muted">No table is called “{wanted}”.</p>}
      {found && found.length > 0 && (
        <Card flush>
          <ul className="divide-y divide-line">
            {found.map((table) => (
              <li key={table.slug}>
                <Link
                  to="/w/$workspace/tables/$slug"
                  params={{ workspace: workspace.id, slug: table.slug }}
                  className="flex flex-wrap items-center gap-x-3 gap-y-0.5 px-4 py-3 -outline-offset-2! hover:bg-hover"
                >
                  <span className="font-medium text-base text-ink">{table.title}</span>
                  {!table.built_in && <Badge>your table</Badge>}
                  {table.computed && <Badge>computed</Badge>}
                  <span className="ml-auto text-subtle text-xs">
                    {columns({ count: table.column_count }, workspace.locale)}
                  </span>
                  <span className="w-full text-muted">{table.description}</span>
                </Link>
              </li>
            ))}
          </ul>
        </Card>
      )}
      {can("define_tables") && <RetiredTables />}
      {making && <NewTable onClosed={() => setMaking(false)} />}
    </Page>
  );
}
