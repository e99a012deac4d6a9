import { ArrowRight, RotateCcw } from "lucide-react";
import type { Column, ImportColumn, ImportPreview } from "@/api/types.gen";
import { cx } from "@/lib/cx";
import { Badge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { type Option, Select } from "@/ui/select";
import { Table, Td, Th, Tr } from "@/ui/table";
import { type Choices, targetOf } from "./mapping";

const leftOut = "-"; // no column has this name, and a select has no empty value

interface MappingTableProps {
  preview: ImportPreview;
  choices: Choices;
  /** The table's columns. */
  columns: readonly Column[];
  onChange: (from: string, to: string) => void;
  /** Resets the mapping to the suggestions. */
  onReset: (() => void) | undefined;
}

/** The mapping of the file's columns to the table's. */
export function MappingTable({ preview, choices, columns, onChange, onReset }: MappingTableProps) {
  // Columns with errors in a file of rejects never belong to a table.
  const shown = preview.columns.filter((column) => !column.from.startsWith("_"));
  const taken = new Map(shown.map((column) => [targetOf(column, choices), column.from]));
  const options: Option<string>[] = [
    { value: leftOut, label: "Leave out" },
    ...columns
      .filter((column) => column.accepted)
      .map((column) => ({
        value: column.name,
        label: column.label,
        hint: [column.name, column.type, column.required && "required when new", from(taken.get(column.name))]
          .filter(Boolean)
          .join(", "),
      })),
  ];
  return (
    <Card
      flush
      title="Columns"
      description="Where each column of the file goes."
      actions={
        onReset && (
          <Button size="sm" icon={<RotateCcw aria-hidden />} onClick={onReset}>
            Reset to suggestions
          </Button>
        )
      }
    >
      <Table caption="Columns of the file">
        <thead>
          <tr>
            <Th>In the file</Th>
            <Th className="max-md:hidden">First value</Th>
            <Th>In the table</Th>
            <Th className="max-md:hidden">
              <span className="sr-only">How it was found</span>
            </Th>
          </tr>
        </thead>
        <tbody>
          {shown.map((column) => (
            <MappingRow
              key={column.from}
              column={column}
              to={targetOf(column, choices)}
              options={options}
              onChange={(to) => onChange(column.from, to)}
            />
          ))}
        </tbody>
      </Table>
    </Card>
  );
}

function from(column: string | undefined): string | undefined {
  return column === undefined ? undefined : `now from ${column}`;
}

interface MappingRowProps {
  column: ImportColumn;
  to: string;
  options: Option<string>[];
  onChange: (to: string) => void;
}

function MappingRow({ column, to, options, onChange }: MappingRowProps) {
  const beside = (
    <span className="flex flex-wrap items-center gap-x-2">
      {to !== "" && <code className="text-subtle text-xs">{to}</code>}
      {to === column.to && <How column={column} options={options} onChange={onChange} />}
    </span>
  );
  return (
    <Tr>
      <Td className={cx("max-w-60 py-1.5", to === "" && "text-muted")}>
        <span className="block truncate font-medium" title={column.from}>
          {column.from}
        </span>
        <span className="block truncate text-subtle text-xs md:hidden">{column.example}</span>
      </Td>
      <Td className="max-w-56 py-1.5 text-muted max-md:hidden">
        <span className="block truncate">{column.example}</span>
      </Td>
      <Td className="py-1.5">
        <span className="flex items-center gap-2">
          <ArrowRight
            className={cx("size-4 shrink-0 max-md:hidden", to ? "text-accent-ink" : "text-transparent")}
            aria-hidden
          />
          <Select
            size="sm"
            aria-label={`Where ${column.from} goes`}
            className="w-full min-w-36 md:w-56"
            value={to || leftOut}
            options={options}
            onValueChange={(next) => next !== (to || leftOut) && onChange(next === leftOut ? "" : next)}
          />
        </span>
        <span className="mt-0.5 block md:hidden">{beside}</span>
      </Td>
      <Td className="py-1.5 max-md:hidden">{beside}</Td>
    </Tr>
  );
}

/** Explains a column's mapping, and suggests similar columns if it has none. */
function How({ column, options, onChange }: Omit<MappingRowProps, "to">) {
  if (column.how === "known") return <Badge tone="info">known name</Badge>;
  if (column.how === "similar") return <Badge tone="info">similar name</Badge>;
  if (column.how === "named") return <Badge>chosen</Badge>;
  if (column.how === "exact") return null;
  return (
    <span className="text-subtle text-xs">
      <span className="wrap-anywhere">{column.why === "as told" ? "left out as chosen" : column.why}</span>
      {column.could.map((to) => (
        <Button key={to} size="sm" variant="ghost" className="ml-1" onClick={() => onChange(to)}>
          Use {options.find(({ value }) => value === to)?.label ?? to}
        </Button>
      ))}
    </span>
  );
}
