import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ArrowUpRight } from "lucide-react";
import { getRowOptions } from "@/api/@tanstack/react-query.gen";
import type { Row, Table, TableColumn } from "@/api/types.gen";
import { useLocale } from "@/lib/locale";
import { usePlace } from "@/lib/session";
import { CopyButton } from "@/ui/copy-button";
import { Dialog } from "@/ui/dialog";
import { ErrorNote } from "@/ui/error-note";
import { SkeletonText } from "@/ui/skeleton";
import { RecordHistory } from "./record-history";
import { formatValue } from "./value";

interface RecordDrawerProps {
  table: Table;
  record: string;
  onClose: () => void;
}

/** One record beside its table: every field, and who wrote what. */
export function RecordDrawer({ table, record, onClose }: RecordDrawerProps) {
  const { workspace } = usePlace();
  const path = { workspace: workspace.id, table: table.slug, record };
  const { data, error, refetch } = useQuery(getRowOptions({ path }));
  const name = table.columns.find((column) => column.kind !== "system")?.name ?? "id";
  const title = String(data?.values.name ?? data?.values.title ?? data?.values[name] ?? "Record");
  return (
    <Dialog
      title={<span className="break-words">{title}</span>}
      description={table.title}
      open
      onOpenChange={(open) => !open && onClose()}
      placement="right"
      size="md"
    >
      {error && <ErrorNote error={error} retry={refetch} />}
      {!data && !error && <SkeletonText lines={10} label="Loading the record" />}
      {data && <Fields table={table} row={data} />}
      {data && <RecordHistory table={table} record={record} />}
    </Dialog>
  );
}

function Fields({ table, row }: { table: Table; row: Row }) {
  return (
    <dl>
      {table.columns.map((column) => (
        <div
          key={column.name}
          className="grid grid-cols-[minmax(7rem,2fr)_3fr] gap-x-4 border-line border-b py-2"
        >
          <dt>
            <span className="font-medium text-ink">{column.label}</span>
            <span className="block text-subtle text-xs">{column.description}</span>
          </dt>
          <dd className="min-w-0">
            <FieldValue column={column} value={row.values[column.name]} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function FieldValue({ column, value }: { column: TableColumn; value: unknown }) {
  const locale = useLocale();
  const { workspace } = usePlace();
  const text = formatValue(column, value, locale);
  if (text === "")
    return (
      <span className="text-subtle">
        <span aria-hidden>–</span>
        <span className="sr-only">empty</span>
      </span>
    );
  if (column.references)
    return (
      <Link
        to="/w/$workspace/tables/$slug"
        params={{ workspace: workspace.id, slug: column.references }}
        search={{ record: text }}
        className="inline-flex max-w-full items-center gap-0.5 rounded-sm text-accent-ink hover:underline"
      >
        <span className="truncate font-mono text-xs">{text}</span>
        <ArrowUpRight className="size-3.5 shrink-0" aria-hidden />
        <span className="sr-only">in {column.references}</span>
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
