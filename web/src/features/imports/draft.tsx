import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Play, TriangleAlert } from "lucide-react";
import { useState } from "react";
import {
  getSourceOptions,
  previewImportMutation,
  startImportMutation,
} from "@/api/@tanstack/react-query.gen";
import { previewImport } from "@/api/sdk.gen";
import type { Column, Import, ImportPreview, Reading } from "@/api/types.gen";
import { useLocale } from "@/lib/locale";
import { usePlace } from "@/lib/session";
import { questionsOpen, recordsImport } from "@/messages/imports";
import { Button } from "@/ui/button";
import { ConfirmDialog } from "@/ui/confirm-dialog";
import { ErrorNote } from "@/ui/error-note";
import { SkeletonText } from "@/ui/skeleton";
import { ColumnValues } from "./column-values";
import { FormsCard } from "./forms-card";
import { type Choices, choose, labelOf, refine, targetOf } from "./mapping";
import { MappingTable } from "./mapping-table";
import { PreviewTable } from "./preview-table";
import { useCancelImport, useImportChanged } from "./queries";
import { ReadingOptions } from "./reading-options";

/** A file before its import: the mapping of its columns, and a dry run of its first records. */
export function Draft({ one }: { one: Import }) {
  const { workspace } = usePlace();
  const path = { workspace: workspace.id, import: one.id };
  const first = useQuery({
    queryKey: ["import preview", path],
    queryFn: async ({ signal }) => (await previewImport({ path, body: {}, signal, throwOnError: true })).data,
    // Not from the cache: the mapping or the table may have changed since.
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  if (first.error) return <ErrorNote error={first.error} retry={first.refetch} />;
  if (!first.data) return <SkeletonText lines={10} label="Reading the first records" />;
  return <Plan first={first.data} />;
}

function Plan({ first }: { first: ImportPreview }) {
  const { workspace } = usePlace();
  const id = first.import.id;
  const path = { workspace: workspace.id, import: id };
  const changed = useImportChanged();
  const [choices, setChoices] = useState<Choices>(first.import.mapping);
  const look = useMutation({ ...previewImportMutation(), onSuccess: (seen) => changed(seen.import) });
  const [shown, setShown] = useState(first);
  const { data: source } = useQuery(
    getSourceOptions({ path: { workspace: workspace.id, slug: first.import.slug } }),
  );

  const remap = (next: Choices) => {
    setChoices(next);
    look.mutate({ path, body: { mapping: [...next] } }, { onSuccess: setShown });
  };
  const reread = (reading: Reading) => {
    setChoices([]); // with other options the file has other columns
    look.mutate({ path, body: { reading } }, { onSuccess: setShown });
  };
  const columns = source?.columns ?? [];
  return (
    <div className="flex flex-col gap-5">
      <ReadingOptions one={shown.import} onChange={reread} />
      {look.error && <ErrorNote error={look.error} />}
      <MappingTable
        preview={shown}
        choices={choices}
        columns={columns}
        onChange={(from, to) => remap(choose(choices, from, to))}
        onReset={choices.length > 0 ? () => remap([]) : undefined}
      />
      <Warnings preview={shown} columns={columns} />
      <FormsCard
        columns={shown.columns}
        onChoose={(column, form) => remap(refine(choices, column, { form }))}
      />
      {shown.columns.map((column) => {
        const target = columns.find(({ name }) => name === targetOf(column, choices));
        if (!column.values || !target) return null;
        return (
          <ColumnValues
            key={column.from}
            column={column}
            workbook={shown.import.format === "xlsx"}
            target={target}
            chosen={choices.find(({ from }) => from === column.from)?.values ?? []}
            onChange={(values) => remap(refine(choices, column, { values }))}
          />
        );
      })}
      <PreviewTable preview={shown} columns={columns} busy={look.isPending} />
      <Actions preview={shown} choices={choices} busy={look.isPending} />
    </div>
  );
}

function Warnings({ preview, columns }: { preview: ImportPreview; columns: readonly Column[] }) {
  const words: string[] = [];
  if (preview.empty)
    words.push(
      "No column of the file is mapped to the table yet. Map at least one; the first row must name the columns.",
    );
  else if (preview.missing.length > 0)
    words.push(
      `No column is mapped to ${preview.missing.map((name) => labelOf(columns, name)).join(", ")}. New records without it will be refused.`,
    );
  if (preview.more_columns)
    words.push("The file has more columns than can be mapped; the rest are left out.");
  if (words.length === 0) return null;
  return (
    <div role="status" className="flex flex-col gap-1 rounded-md bg-warn-soft px-3 py-2 text-warn-ink">
      {words.map((line) => (
        <p key={line} className="flex items-start gap-2">
          <TriangleAlert className="mt-0.5 size-4 shrink-0" aria-hidden />
          <span>{line}</span>
        </p>
      ))}
    </div>
  );
}

interface ActionsProps {
  preview: ImportPreview;
  choices: Choices;
  busy: boolean;
}

function Actions({ preview, choices, busy }: ActionsProps) {
  const { workspace } = usePlace();
  const { locale } = useLocale();
  const go = useNavigate();
  const changed = useImportChanged();
  const { asked } = preview;
  const { total, id, slug, file_name } = preview.import;
  const start = useMutation({ ...startImportMutation(), onSuccess: changed });
  const { cancel } = useCancelImport(id);
  return (
    <div className="flex flex-col gap-3">
      {start.error && <ErrorNote error={start.error} />}
      <div className="flex flex-wrap items-center justify-end gap-2">
        {asked.length > 0 && (
          <a href="#forms" className="mr-1 text-warn-ink underline">
            {questionsOpen({ count: asked.length }, locale)}
          </a>
        )}
        <ConfirmDialog
          title="Discard this file?"
          confirm="Discard"
          trigger={<Button>Discard</Button>}
          onConfirm={async () => {
            await cancel();
            await go({ to: "/w/$workspace/sources/$slug", params: { workspace: workspace.id, slug } });
          }}
        >
          {file_name} will be deleted. Nothing of it has been stored.
        </ConfirmDialog>
        <Button
          variant="primary"
          icon={<Play aria-hidden />}
          loading={start.isPending}
          disabled={preview.empty || asked.length > 0 || busy}
          onClick={() =>
            start.mutate({ path: { workspace: workspace.id, import: id }, body: { mapping: [...choices] } })
          }
        >
          {recordsImport({ count: total }, locale)}
        </Button>
      </div>
    </div>
  );
}
