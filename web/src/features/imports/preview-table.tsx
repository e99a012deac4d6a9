import type { Column, ImportPreview, ImportSample } from "@/api/types.gen";
import { cx } from "@/lib/cx";
import { useLocale } from "@/lib/locale";
import { someWarned, wouldBeRefused, wouldBeStored } from "@/messages/imports";
import { Badge, type Tone } from "@/ui/badge";
import { Card } from "@/ui/card";
import { Table, Td, Th, Tr } from "@/ui/table";
import { labelOf, readValue } from "./mapping";

interface PreviewTableProps {
  preview: ImportPreview;
  /** The table's columns. */
  columns: readonly Column[];
  /** A newer preview is loading. */
  busy: boolean;
}

/** The first records as they would be sent, each with the endpoint's exact answer. */
export function PreviewTable({ preview, columns, busy }: PreviewTableProps) {
  const { locale } = useLocale();
  const { records } = preview;
  const names = preview.columns.map((column) => column.to).filter((to) => to !== "");
  const refused = records.filter((record) => record.status !== 200).length;
  const warned = records.filter((record) => record.warnings.length > 0).length;
  return (
    <Card
      flush
      title="Preview"
      description={
        <span role="status">
          {refused === 0
            ? wouldBeStored({ count: records.length }, locale)
            : wouldBeRefused({ refused, count: records.length }, locale)}{" "}
          {warned > 0 && `${someWarned({ count: warned }, locale)} `}
          Nothing is stored yet, so this preview refuses records that refer to an earlier record of the file.
        </span>
      }
      className={cx("transition-opacity", busy && "opacity-60")}
    >
      <Table caption="The first records of the file">
        <thead>
          <tr>
            <Th num>Record</Th>
            <Th>Result</Th>
            {names.map((name) => (
              <Th key={name} title={name}>
                {labelOf(columns, name)}
              </Th>
            ))}
          </tr>
        </thead>
        <tbody>
          {records.map((record) => (
            <SampleRows key={record.number} record={record} names={names} />
          ))}
        </tbody>
      </Table>
    </Card>
  );
}

const results: Record<string, [label: string, tone: Tone]> = {
  created: ["new row", "good"],
  updated: ["changes its row", "info"],
  unchanged: ["no change", "neutral"],
  stale: ["older than its row", "neutral"],
};

function SampleRows({ record, names }: { record: ImportSample; names: string[] }) {
  const refused = record.status !== 200;
  const said = refused
    ? record.errors.length > 0
      ? record.errors.map((error) => error.detail)
      : [record.message ?? ""]
    : record.warnings.map((warning) => warning.meaning);
  const [label, tone] = refused
    ? (["refused", "bad"] as const)
    : (results[record.result ?? ""] ?? ["stored", "good"]);
  const wrong = new Set(record.errors.map((error) => error.pointer.replace("#/", "")));
  const values = new Map(record.fields.map((field) => [field.name, field.value]));
  return (
    <>
      <Tr className={said.length > 0 ? "[&>td]:border-b-0" : undefined}>
        <Td num className="text-subtle">
          {record.number}
        </Td>
        <Td>
          <Badge tone={tone}>{label}</Badge>
        </Td>
        {record.raw !== undefined || record.fields.length === 0 ? (
          <Td colSpan={Math.max(names.length, 1)} className="max-w-xl font-mono text-muted text-xs">
            <span className="block truncate">{record.raw}</span>
          </Td>
        ) : (
          names.map((name) => <Cell key={name} json={values.get(name)} wrong={wrong.has(name)} />)
        )}
      </Tr>
      {said.length > 0 && (
        <Tr>
          <Td />
          <Td
            colSpan={names.length + 1}
            className={cx("h-auto pt-0 pb-2", refused ? "text-bad-ink" : "text-warn-ink")}
          >
            <ul>
              {said.map((text) => (
                <li key={text} className="sticky left-4 w-fit max-w-[75vw] wrap-anywhere md:max-w-3xl">
                  {text}
                </li>
              ))}
            </ul>
          </Td>
        </Tr>
      )}
    </>
  );
}

function Cell({ json, wrong }: { json: string | undefined; wrong: boolean }) {
  const { text, empty } = json === undefined ? { text: "", empty: true } : readValue(json);
  return (
    <Td className={cx("max-w-64", wrong && "bg-bad-soft text-bad-ink")}>
      <span className={cx("block truncate", empty && "text-subtle")} title={text}>
        {text}
        {wrong && <span className="sr-only"> (refused)</span>}
      </span>
    </Td>
  );
}
