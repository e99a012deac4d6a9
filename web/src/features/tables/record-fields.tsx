import { Link } from "@tanstack/react-router";
import { ArrowUpRight } from "lucide-react";
import type { Row, Table, TableColumn } from "@/api/types.gen";
import { useLocale } from "@/lib/locale";
import { usePlace } from "@/lib/session";
import { Badge } from "@/ui/badge";
import { CopyButton } from "@/ui/copy-button";
import { Linked } from "./linked";
import { isOrderNumber } from "./links";
import { formatValue } from "./value";

const linkClass = "inline-flex max-w-full items-center gap-0.5 rounded-sm text-accent-ink hover:underline";

/** All fields of a record, with what they mean. */
export function RecordFields({ table, row }: { table: Table; row: Row }) {
  return (
    <dl>
      {table.columns.map((column) => (
        <div
          key={column.name}
          className="grid grid-cols-[minmax(7rem,2fr)_3fr] gap-x-4 border-line border-b py-2"
        >
          <dt>
            <span className="font-medium text-ink">{column.label}</span>{" "}
            {column.custom && <Badge>your column</Badge>}
            <span className="block text-subtle text-xs">{column.description}</span>
          </dt>
          <dd className="min-w-0">
            <FieldValue table={table.slug} column={column} row={row} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface FieldValueProps {
  table: string;
  column: TableColumn;
  row: Row;
}

/** The value of a field: a link to what it refers to, or text. */
export function FieldValue({ table, column, row }: FieldValueProps) {
  const locale = useLocale();
  const { workspace } = usePlace();
  const value = row.values[column.name];
  const text = formatValue(column, value, locale);
  if (text === "")
    return (
      <span className="text-subtle">
        <span aria-hidden>–</span>
        <span className="sr-only">empty</span>
      </span>
    );
  const label = row.links?.[column.name]?.[text];
  if (column.references && !label) return <Linked id={text} label={label} />;
  if (column.references)
    return (
      <Link
        to="/w/$workspace/tables/$slug"
        params={{ workspace: workspace.id, slug: column.references }}
        search={{ record: text }}
        className={linkClass}
      >
        <span className="min-w-0 break-words">
          <Linked id={text} label={label} />
        </span>
        <ArrowUpRight className="size-3.5 shrink-0" aria-hidden />
        <span className="sr-only">in {column.references}</span>
      </Link>
    );
  if (isOrderNumber(table, column))
    return (
      <Link
        to="/w/$workspace/purchase-orders/$order"
        params={{ workspace: workspace.id, order: text }}
        className={linkClass}
      >
        <span className="min-w-0 break-words">{text}</span>
        <ArrowUpRight className="size-3.5 shrink-0" aria-hidden />
      </Link>
    );
  if (column.name === "id")
    return (
      <span className="flex items-center gap-1">
        <code className="min-w-0 break-all font-mono text-xs">{text}</code>
        <CopyButton value={text} label="Copy the id" />
      </span>
    );
  return <span className="whitespace-pre-wrap break-words">{text}</span>;
}
