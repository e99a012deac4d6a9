import { useQueryClient } from "@tanstack/react-query";
import { Download, RefreshCw } from "lucide-react";
import type { ReactNode } from "react";
import type { Table } from "@/api/types.gen";
import { usePlace } from "@/lib/session";
import { buttonClass } from "@/ui/button";
import { SearchField } from "@/ui/filter";
import { IconButton } from "@/ui/icon-button";
import { ColumnsButton } from "./columns-button";
import { ComputedFor } from "./computed-for";
import { FilterBar } from "./filter-bar";
import { NewRecordButton } from "./new-record-button";
import { reloadRows } from "./queries";
import type { TableState } from "./state";

interface TableBarProps {
  table: Table;
  state: TableState;
  /** The columns shown. */
  fields: string[];
  /** The API parameters for the rows shown. */
  exported: Record<string, unknown>;
  /** The day as of which the rows shown were computed; absent for a table. */
  asOf: string | undefined;
  onChange: (part: Partial<TableState>) => void;
  /** undefined means the table's default. */
  onArrange: (columns: string[] | undefined) => void;
  children: ReactNode;
}

/** The bar of a table: search, filters, columns, views and actions. */
export function TableBar({
  table,
  state,
  fields,
  exported,
  asOf,
  onChange,
  onArrange,
  children,
}: TableBarProps) {
  const { workspace, can } = usePlace();
  const client = useQueryClient();
  const rows = new URLSearchParams(
    Object.entries(exported).map(([name, value]): [string, string] => [name, String(value)]),
  );
  return (
    <div className="-mt-2 mb-3 flex flex-wrap items-center gap-2">
      {table.searchable && (
        <search className="w-56 max-md:min-w-40 max-md:flex-1">
          <SearchField
            label={`Search ${table.title}`}
            placeholder="Number, code or name"
            text={state.search}
            onSearch={(text) => onChange({ search: text })}
          />
        </search>
      )}
      {table.computed && <ComputedFor table={table} state={state} shown={asOf} onChange={onChange} />}
      <FilterBar table={table} filters={state.filters} onChange={(filters) => onChange({ filters })} />
      <div className="ml-auto flex flex-wrap items-center gap-2 max-md:ml-0 max-md:gap-1">
        {children}
        <ColumnsButton table={table} shown={fields} onChange={onArrange} />
        <a
          href={`/api/app/workspaces/${workspace.id}/tables/${table.slug}/export?${rows}`}
          download
          className={buttonClass("secondary", "sm")}
        >
          <Download aria-hidden />
          CSV
        </a>
        <IconButton
          size="sm"
          label="Reload the table"
          icon={<RefreshCw />}
          onClick={() => reloadRows(client, workspace.id, table.slug)}
        />
        {can("edit_records") && table.creatable && <NewRecordButton table={table} />}
      </div>
    </div>
  );
}
