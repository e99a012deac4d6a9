import { ArrowDown, ArrowUp, Columns3 } from "lucide-react";
import type { Table } from "@/api/types.gen";
import { Button } from "@/ui/button";
import { Checkbox } from "@/ui/checkbox";
import { IconButton } from "@/ui/icon-button";
import { Popover } from "@/ui/popover";

interface ColumnsButtonProps {
  table: Table;
  /** The names of the columns shown, in order. */
  shown: string[];
  /** undefined means the table's default. */
  onChange: (columns: string[] | undefined) => void;
}

/** Chooses which columns are shown, and in which order. */
export function ColumnsButton({ table, shown, onChange }: ColumnsButtonProps) {
  const hidden = table.columns.filter((column) => !shown.includes(column.name));
  const label = (name: string) => table.columns.find((column) => column.name === name)?.label ?? name;
  const swap = (at: number, to: number) => {
    const next = [...shown];
    const moved = next.splice(at, 1);
    next.splice(to, 0, ...moved);
    onChange(next);
  };
  return (
    <Popover
      label="Columns"
      trigger={
        <Button size="sm" icon={<Columns3 aria-hidden />}>
          Columns
        </Button>
      }
    >
      <div className="mb-2 flex items-center justify-between">
        <span className="font-medium text-subtle text-xs">Shown, in this order</span>
        <Button size="sm" variant="ghost" onClick={() => onChange(undefined)}>
          Reset
        </Button>
      </div>
      <ul>
        {shown.map((name, at) => (
          <li key={name} className="flex min-h-8 items-center gap-1">
            <span className="min-w-0 flex-1">
              <Checkbox
                label={label(name)}
                checked
                disabled={shown.length === 1}
                onCheckedChange={() => onChange(shown.filter((one) => one !== name))}
              />
            </span>
            <IconButton
              size="sm"
              tooltip={false}
              label={`Move ${label(name)} up`}
              icon={<ArrowUp />}
              disabled={at === 0}
              onClick={() => swap(at, at - 1)}
            />
            <IconButton
              size="sm"
              tooltip={false}
              label={`Move ${label(name)} down`}
              icon={<ArrowDown />}
              disabled={at === shown.length - 1}
              onClick={() => swap(at, at + 1)}
            />
          </li>
        ))}
      </ul>
      {hidden.length > 0 && <p className="mt-3 mb-2 font-medium text-subtle text-xs">Not shown</p>}
      <ul>
        {hidden.map((column) => (
          <li key={column.name} className="flex min-h-8 items-center">
            <Checkbox
              label={column.label}
              checked={false}
              onCheckedChange={() => onChange([...shown, column.name])}
            />
          </li>
        ))}
      </ul>
    </Popover>
  );
}
