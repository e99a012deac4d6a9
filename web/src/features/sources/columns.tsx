import { Link } from "@tanstack/react-router";
import type { Column, SourceDetail } from "@/api/types.gen";
import { writeBound } from "@/lib/bounds";
import { useLocale } from "@/lib/locale";
import { usePlace } from "@/lib/session";
import { longest } from "@/messages/sources";
import { Badge, type Tone } from "@/ui/badge";
import { Card } from "@/ui/card";
import { Table, Td, Th, Tr } from "@/ui/table";

/** Explains a column's kind to people who send records. */
const kinds: Record<Column["kind"], [label: string, tone: Tone, meaning: string]> = {
  writable: ["writable", "good", "Send it."],
  api_only: ["API only", "info", "Systems send it; people do not edit it."],
  trigger: ["filled", "neutral", "Filled from other records."],
  read_only: ["read only", "neutral", "Kept by Quayside."],
  system: ["system", "neutral", "On every row, kept by Quayside."],
};

export function Columns({ detail }: { detail: SourceDetail }) {
  const used = [...new Set(detail.columns.map((column) => column.kind))];
  return (
    <>
      <dl className="mb-3 flex flex-wrap gap-x-5 gap-y-1.5 text-muted text-xs">
        {used.map((kind) => (
          <div key={kind} className="flex items-center gap-1.5">
            <dt>
              <Badge tone={kinds[kind][1]}>{kinds[kind][0]}</Badge>
            </dt>
            <dd>{kinds[kind][2]}</dd>
          </div>
        ))}
      </dl>
      <Card flush>
        <Table caption={`Columns of ${detail.source.title}`}>
          <thead>
            <tr>
              <Th>Column</Th>
              <Th>Type</Th>
              <Th className="max-md:hidden">Kind</Th>
              <Th>Meaning</Th>
              <Th className="max-md:hidden">Example</Th>
            </tr>
          </thead>
          <tbody>
            {detail.columns.map((column) => (
              <ColumnRow key={column.name} column={column} />
            ))}
          </tbody>
        </Table>
      </Card>
    </>
  );
}

function ColumnRow({ column }: { column: Column }) {
  const { locale } = useLocale();
  const { workspace } = usePlace();
  const [label, tone] = kinds[column.kind];
  const dropped = !column.accepted && (column.kind === "writable" || column.kind === "api_only");
  return (
    <Tr className={column.accepted ? undefined : "text-muted"}>
      <Td className="py-2 align-top">
        <code className="block font-mono text-xs leading-5 max-md:break-all">{column.name}</code>
        <span className="md:hidden">
          <Badge tone={tone}>{label}</Badge>
        </span>
        {column.required && (
          <span className="block whitespace-nowrap text-subtle text-xs">required when new</span>
        )}
      </Td>
      <Td className="py-2 align-top">
        {column.type}
        {column.default !== undefined && (
          <span className="block text-subtle text-xs">
            default <code>{column.default}</code>
          </span>
        )}
      </Td>
      <Td className="py-2 align-top max-md:hidden">
        <Badge tone={tone}>{label}</Badge>
        {dropped && <span className="block text-subtle text-xs">ignored when sent</span>}
      </Td>
      <Td className="max-w-md py-2 align-top md:min-w-64">
        {column.description}
        {column.choices && (
          <span className="block text-subtle text-xs">
            One of{" "}
            {column.choices.map((choice, index) => (
              <span key={choice}>
                {index > 0 && ", "}
                <code>{choice}</code>
              </span>
            ))}
          </span>
        )}
        {(column.minimum || column.maximum) && (
          <span className="block text-subtle text-xs">
            {column.minimum && `at least ${writeBound(column.minimum, locale)}`}
            {column.minimum && column.maximum && ", "}
            {column.maximum && `at most ${writeBound(column.maximum, locale)}`}
          </span>
        )}
        {column.records_past && (
          <span className="block text-subtle text-xs">
            a date before 2000 or after tomorrow gets a warning
          </span>
        )}
        {column.max_length && (
          <span className="block text-subtle text-xs">{longest({ count: column.max_length }, locale)}</span>
        )}
        {column.references && (
          <Link
            to="/w/$workspace/sources/$slug"
            params={{ workspace: workspace.id, slug: column.references }}
            className="block w-fit rounded-sm text-accent-ink text-xs hover:underline"
          >
            refers to {column.references}
          </Link>
        )}
      </Td>
      <Td className="py-2 align-top max-md:hidden">
        <code className="block max-w-56 truncate font-mono text-xs">{JSON.stringify(column.example)}</code>
      </Td>
    </Tr>
  );
}
