import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { ChevronLeft, Columns3, Plus } from "lucide-react";
import { useState } from "react";
import {
  restoreTableColumnMutation,
  retireTableColumnMutation,
  retireTableMutation,
} from "@/api/@tanstack/react-query.gen";
import type { DefinedColumn, TableDefinition } from "@/api/types.gen";
import { isMissing } from "@/lib/problem";
import { usePlace } from "@/lib/session";
import { Badge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { ConfirmDialog } from "@/ui/confirm-dialog";
import { EmptyState } from "@/ui/empty-state";
import { ErrorNote } from "@/ui/error-note";
import { lazyDialog } from "@/ui/lazy-dialog";
import { Page } from "@/ui/page";
import { Missing } from "@/ui/page-states";
import { SkeletonText } from "@/ui/skeleton";
import { BuiltInColumns } from "./built-in-columns";
import { definitionsQuery, inUse, nothingAdded, useReloadDefinitions } from "./definitions";
import { tableQuery } from "./queries";
import { rulesInWords } from "./rules";
import { Sequence } from "./sequence";
import { UnknownFields } from "./unknown-fields";

const ColumnDialog = lazyDialog(async () => (await import("./column-dialog")).ColumnDialog);
const NewTable = lazyDialog(async () => (await import("./new-table")).NewTable);

/** The columns of a table of the company's own, or those that it has added to a built-in table. */
export function DefinePage() {
  const { company, workspace, can } = usePlace();
  const { slug } = useParams({ from: "/inside/w/$workspace/tables/$slug/columns" });
  const allowed = can("define_tables");
  const { data, error, refetch } = useQuery({
    ...definitionsQuery(company.id),
    enabled: allowed,
    // A conversion takes seconds to minutes.
    refetchInterval: ({ state }) =>
      state.data?.items.some((one) => one.columns.some(({ converting }) => converting)) ? 3000 : false,
  });
  const shown = useQuery({ ...tableQuery(workspace.id, slug), enabled: allowed });
  const builtIn = shown.data?.built_in && !shown.data.computed ? shown.data : undefined;
  const defined = data?.items.find((one) => one.slug === slug && inUse(one));
  const table = defined ?? (data && builtIn && nothingAdded(builtIn));
  // A retired table is not shown any more, and still has its definition.
  if (!allowed || (data && (shown.data || isMissing(shown.error)) && !table)) return <Missing />;
  return (
    <Page
      title={table ? `Columns of ${table.name}` : "Columns"}
      description={table?.description || undefined}
      above={
        <Link
          to="/w/$workspace/tables/$slug"
          params={{ workspace: workspace.id, slug }}
          className="-ml-1 inline-flex items-center gap-0.5 rounded-sm text-muted hover:text-ink"
        >
          <ChevronLeft className="size-4" aria-hidden />
          {table?.name ?? slug}
        </Link>
      }
      actions={table && <Actions table={table} />}
    >
      {error && <ErrorNote error={error} retry={refetch} />}
      {!table && !error && <SkeletonText lines={8} label="Loading the columns" />}
      {table && <Columns table={table} />}
      {table && <Sequence table={table} />}
      {table && <UnknownFields table={table} />}
      {builtIn && <BuiltInColumns table={builtIn} />}
    </Page>
  );
}

function Actions({ table }: { table: TableDefinition }) {
  const [renaming, setRenaming] = useState(false);
  return (
    <>
      {!table.built_in && <Button onClick={() => setRenaming(true)}>Rename</Button>}
      {table.columns.some(inUse) && <AddColumn table={table} />}
      {renaming && <NewTable table={table} onClosed={() => setRenaming(false)} />}
    </>
  );
}

function AddColumn({ table }: { table: TableDefinition }) {
  const [adding, setAdding] = useState(false);
  return (
    <>
      <Button variant="primary" icon={<Plus aria-hidden />} onClick={() => setAdding(true)}>
        Add column
      </Button>
      {adding && <ColumnDialog table={table} onClosed={() => setAdding(false)} />}
    </>
  );
}

function Columns({ table }: { table: TableDefinition }) {
  const used = table.columns.filter(inUse);
  const retired = table.columns.filter((one) => !inUse(one));
  return (
    <div className="flex flex-col gap-5">
      {used.length === 0 && (
        <EmptyState
          icon={<Columns3 aria-hidden />}
          action={<AddColumn table={table} />}
          docs={{ href: "/docs/tables", label: "How tables are defined" }}
        >
          {table.built_in
            ? "Add columns of your own. Systems send them, and people see, filter and edit them like the built-in ones; other companies never see them."
            : "No columns yet. Every record has an external_id; add the columns that it also has."}
        </EmptyState>
      )}
      {used.length > 0 && (
        <Card flush>
          <ul aria-label="Columns" className="divide-y divide-line">
            {used.map((column) => (
              <ColumnRow key={column.name} table={table} column={column} />
            ))}
          </ul>
        </Card>
      )}
      {retired.length > 0 && (
        <section>
          <h2 className="mb-2 font-medium text-ink">Retired</h2>
          <Card flush>
            <ul aria-label="Retired columns" className="divide-y divide-line">
              {retired.map((column) => (
                <RetiredRow key={column.name} table={table} column={column} />
              ))}
            </ul>
          </Card>
        </section>
      )}
      <Foot table={table} />
    </div>
  );
}

interface RowProps {
  table: TableDefinition;
  column: DefinedColumn;
}

function ColumnRow({ table, column }: RowProps) {
  const { company } = usePlace();
  const [editing, setEditing] = useState(false);
  const { mutateAsync } = useMutation(retireTableColumnMutation());
  const reload = useReloadDefinitions();
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-3">
      <div className="min-w-0 flex-1 basis-64">
        <p className="flex flex-wrap items-center gap-2">
          <span className="font-medium font-mono text-ink text-sm">{column.name}</span>
          {table.built_in && <Badge tone="info">your column</Badge>}
        </p>
        <p className="text-muted">{rulesInWords(column)}</p>
        {column.converting && <p className="text-muted">Converting the stored values…</p>}
        {column.description && <p className="text-muted text-xs">{column.description}</p>}
      </div>
      {column.name !== "external_id" && (
        <>
          <Button size="sm" aria-label={`Change ${column.name}`} onClick={() => setEditing(true)}>
            Change
          </Button>
          <ConfirmDialog
            title={`Retire ${column.name}?`}
            confirm="Retire column"
            onConfirm={async () => {
              await mutateAsync({
                path: { tenant: company.id, definition: table.slug, column: column.name },
                headers: { "If-Match": `"${table.version}"` },
              });
              await reload();
            }}
            trigger={
              <Button size="sm" aria-label={`Retire ${column.name}`}>
                Retire
              </Button>
            }
          >
            The column is hidden everywhere, and records that carry it are stored without it. Its values are
            kept: you can bring it back.
          </ConfirmDialog>
        </>
      )}
      {editing && <ColumnDialog table={table} column={column} onClosed={() => setEditing(false)} />}
    </li>
  );
}

function RetiredRow({ table, column }: RowProps) {
  const { company } = usePlace();
  const { mutateAsync, isPending, error } = useMutation(restoreTableColumnMutation());
  const reload = useReloadDefinitions();
  const path = { tenant: company.id, definition: table.slug, column: column.name };
  return (
    <li className="flex flex-wrap items-center gap-3 px-4 py-3">
      <span className="flex-1 font-mono text-muted text-sm">{column.name}</span>
      <Button
        size="sm"
        loading={isPending}
        aria-label={`Bring ${column.name} back`}
        onClick={() =>
          void mutateAsync({ path, headers: { "If-Match": `"${table.version}"` } })
            .then(reload)
            .catch(() => undefined)
        }
      >
        Bring back
      </Button>
      {error && <ErrorNote error={error} />}
    </li>
  );
}

function Foot({ table }: { table: TableDefinition }) {
  const { workspace } = usePlace();
  return (
    <div className="flex flex-wrap items-center justify-between gap-3 border-line border-t pt-4">
      <p className="text-muted">
        Records are sent to <code className="text-ink">/api/ingest/{table.slug}</code>.{" "}
        <Link
          to="/w/$workspace/sources/$slug"
          params={{ workspace: workspace.id, slug: table.slug }}
          className="text-accent-ink underline"
        >
          Keys and examples
        </Link>
      </p>
      {!table.built_in && <RetireTable table={table} />}
    </div>
  );
}

function RetireTable({ table }: { table: TableDefinition }) {
  const { company, workspace } = usePlace();
  const { mutateAsync } = useMutation(retireTableMutation());
  const reload = useReloadDefinitions();
  const navigate = useNavigate();
  return (
    <ConfirmDialog
      title={`Retire ${table.name}?`}
      confirm="Retire table"
      onConfirm={async () => {
        await mutateAsync({
          path: { tenant: company.id, definition: table.slug },
          headers: { "If-Match": `"${table.version}"` },
        });
        // First away from here: the columns of a retired table are a page that does not exist.
        await navigate({ to: "/w/$workspace/tables", params: { workspace: workspace.id } });
        await reload();
      }}
      trigger={<Button>Retire table</Button>}
    >
      The table is hidden in every workspace, and its records are refused. Nothing is deleted: you can bring
      it back under Tables.
    </ConfirmDialog>
  );
}
