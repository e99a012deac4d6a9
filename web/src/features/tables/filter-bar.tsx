import { Plus, X } from "lucide-react";
import { useState } from "react";
import type { Table, TableColumn } from "@/api/types.gen";
import { useLocale } from "@/lib/locale";
import { matchRank } from "@/lib/match";
import { useShortcuts } from "@/lib/shortcuts";
import { Button } from "@/ui/button";
import { Input } from "@/ui/input";
import { lazyDialog } from "@/ui/lazy-dialog";
import { Popover } from "@/ui/popover";
import type { Conditions, Filters } from "./state";
import { describeFilter } from "./value";

const FilterEditor = lazyDialog(async () => (await import("./filter-editor")).FilterEditor);

interface FilterBarProps {
  table: Table;
  filters: Filters;
  onChange: (filters: Filters) => void;
}

/** The filters, each on a chip that opens its editor, and a button to add more. */
export function FilterBar({ table, filters, onChange }: FilterBarProps) {
  const set = (field: string, conditions: Conditions | undefined) => {
    const { [field]: _, ...others } = filters;
    onChange(conditions ? { ...others, [field]: conditions } : others);
  };
  const fields = Object.keys(filters);
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-1.5">
      {fields.map((field) => (
        <Chip
          key={field}
          field={field}
          column={table.columns.find((column) => column.name === field)}
          conditions={filters[field] ?? {}}
          onChange={(conditions) => set(field, conditions)}
        />
      ))}
      <AddFilter table={table} onAdd={set} />
      {fields.length > 1 && (
        <Button size="sm" variant="ghost" onClick={() => onChange({})}>
          Clear all
        </Button>
      )}
    </div>
  );
}

interface ChipProps {
  field: string;
  /** Absent if an old link names a column that no longer exists. */
  column: TableColumn | undefined;
  conditions: Conditions;
  onChange: (conditions: Conditions | undefined) => void;
}

function Chip({ field, column, conditions, onChange }: ChipProps) {
  const locale = useLocale();
  const [open, setOpen] = useState(false);
  const text = describeFilter(column ?? { type: "text" }, conditions, locale);
  const face = "h-full min-w-0 truncate rounded-l-full pr-1 pl-2.5 hover:bg-hover";
  const words = (
    <>
      <span className="text-muted">{column?.label ?? field}</span> <span className="font-medium">{text}</span>
    </>
  );
  return (
    <span className="inline-flex h-7 max-w-full items-center rounded-full border border-line bg-accent-soft text-xs pointer-coarse:h-9">
      {column ? (
        <Popover
          label={`Filter by ${column.label}`}
          open={open}
          onOpenChange={setOpen}
          trigger={
            <button type="button" className={face}>
              {words}
            </button>
          }
        >
          <FilterEditor
            column={column}
            conditions={conditions}
            onApply={(next) => {
              onChange(next);
              setOpen(false);
            }}
          />
        </Popover>
      ) : (
        <span className={face}>{words}</span>
      )}
      <button
        type="button"
        aria-label={`Remove the filter ${column?.label ?? field}`}
        onClick={() => onChange(undefined)}
        className="grid h-full w-7 place-items-center rounded-r-full text-muted hover:bg-hover hover:text-ink"
      >
        <X className="size-3.5" aria-hidden />
      </button>
    </span>
  );
}

interface AddFilterProps {
  table: Table;
  onAdd: (field: string, conditions: Conditions | undefined) => void;
}

function AddFilter({ table, onAdd }: AddFilterProps) {
  const [open, setOpen] = useState(false);
  const [wanted, setWanted] = useState("");
  const [column, setColumn] = useState<TableColumn>();
  const change = (next: boolean) => {
    setOpen(next);
    if (next) {
      setColumn(undefined);
      setWanted("");
    }
  };
  useShortcuts([{ keys: "f", label: "Add a filter", group: "Table", run: () => change(true) }]);
  const found = table.columns
    .map((one) => ({ one, rank: matchRank(`${one.label} ${one.name}`, wanted) }))
    .filter(({ rank }) => rank !== null)
    .sort((a, b) => (a.rank ?? 0) - (b.rank ?? 0))
    .map(({ one }) => one);
  return (
    <Popover
      label="Add a filter"
      open={open}
      onOpenChange={change}
      trigger={
        <Button size="sm" icon={<Plus aria-hidden />}>
          Filter
        </Button>
      }
    >
      {column ? (
        <FilterEditor
          key={column.name}
          column={column}
          onApply={(conditions) => {
            if (conditions) onAdd(column.name, conditions);
            setOpen(false);
          }}
        />
      ) : (
        <>
          <Input
            aria-label="Which column"
            placeholder="Which column?"
            autoFocus
            value={wanted}
            onChange={(event) => setWanted(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === "Enter" && found[0]) {
                event.preventDefault();
                setColumn(found[0]);
              }
            }}
          />
          <ul className="mt-2 max-h-72 overflow-y-auto">
            {found.map((one) => (
              <li key={one.name}>
                <button
                  type="button"
                  onClick={() => setColumn(one)}
                  className="flex min-h-8 w-full items-baseline gap-2 rounded-md px-2 py-1.5 text-left -outline-offset-2! hover:bg-hover"
                >
                  <span className="min-w-0 flex-1 truncate">{one.label}</span>
                  <span className="text-subtle text-xs">{one.type}</span>
                </button>
              </li>
            ))}
            {found.length === 0 && <li className="px-2 py-1.5 text-muted">No column is called that.</li>}
          </ul>
        </>
      )}
    </Popover>
  );
}
