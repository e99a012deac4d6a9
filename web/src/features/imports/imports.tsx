import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { FileUp } from "lucide-react";
import type { Import } from "@/api/types.gen";
import { ViewsButton } from "@/features/views/views-button";
import { usePlace } from "@/lib/session";
import { buttonClass } from "@/ui/button";
import { type Column, DataList } from "@/ui/data-list";
import { EmptyState } from "@/ui/empty-state";
import { Num } from "@/ui/num";
import { Page } from "@/ui/page";
import { Time } from "@/ui/time";
import { ImportBadge } from "./import-badge";
import { useImports } from "./queries";

/** The file imports of one table or of all, latest first. */
export function ImportsPage() {
  const { workspace } = usePlace();
  const params = { workspace: workspace.id };
  const { table, pages, view } = useSearch({ from: "/inside/w/$workspace/imports" });
  const go = useNavigate();
  const want = (pages: number) =>
    void go({
      to: "/w/$workspace/imports",
      params,
      search: { ...(table && { table }), pages, ...(view && { view }) },
      replace: true,
      resetScroll: false,
    });
  const list = useImports(table, pages, want);
  return (
    <Page
      title="File imports"
      description={table ? <>The latest into {table}.</> : "The latest files that people have imported."}
      actions={
        <>
          <ViewsButton of="imports" view={view} />
          <Link to="/w/$workspace/sources" params={params} className={buttonClass()}>
            Sources
          </Link>
        </>
      }
    >
      <DataList
        caption="File imports"
        noun="import"
        list={list}
        idOf={(one) => one.id}
        nameOf={(one) => one.file_name}
        columns={columns}
        empty={
          <EmptyState
            icon={<FileUp aria-hidden />}
            action={
              <Link to="/w/$workspace/sources" params={params} className={buttonClass("primary")}>
                Choose a table
              </Link>
            }
            docs={{ href: "/docs/imports", label: "How imports work" }}
          >
            Drop a CSV, Excel, NDJSON or JSON file on a table of Sources to import it.
          </EmptyState>
        }
      />
    </Page>
  );
}

const columns: Column<Import>[] = [
  { id: "file", head: "File", className: "max-w-60", cell: (one) => <FileLink of={one} /> },
  { id: "status", head: "Status", cell: (one) => <ImportBadge status={one.status} /> },
  {
    id: "table",
    head: "Table",
    className: "max-md:hidden",
    cell: (one) => <code className="text-xs">{one.slug}</code>,
  },
  { id: "records", head: "Records", num: true, cell: (one) => <Num value={one.total} /> },
  {
    id: "refused",
    head: "Refused",
    num: true,
    cell: (one) => <Num value={one.refused} className={one.refused > 0 ? "text-bad-ink" : "text-subtle"} />,
  },
  {
    id: "uploaded",
    head: "Uploaded",
    className: "max-md:hidden",
    cell: (one) => <Time value={one.created_at} />,
  },
];

function FileLink({ of: one }: { of: Import }) {
  const { workspace } = usePlace();
  return (
    <Link
      to="/w/$workspace/imports/$import"
      params={{ workspace: workspace.id, import: one.id }}
      className="block truncate rounded-sm font-medium hover:text-accent-ink hover:underline"
    >
      {one.file_name}
    </Link>
  );
}
