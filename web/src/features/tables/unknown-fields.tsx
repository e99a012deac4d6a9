import { useState } from "react";
import type { Backfill, TableDefinition, UnknownField } from "@/api/types.gen";
import { formatNumber } from "@/lib/format";
import { useLocale } from "@/lib/locale";
import { cameIn, otherFields, valuesKept } from "@/messages/tables";
import { Badge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { ConfirmDialog } from "@/ui/confirm-dialog";
import { ErrorNote } from "@/ui/error-note";
import { lazyDialog } from "@/ui/lazy-dialog";
import { Time } from "@/ui/time";
import { BackfillProgress } from "./backfill-progress";
import { emptyColumn } from "./column-form";
import { kinds } from "./rules";
import { isGoing, useBackfills, useUnknownActions, useUnknownFields } from "./unknown";

const ColumnDialog = lazyDialog(async () => (await import("./column-dialog")).ColumnDialog);

type Actions = ReturnType<typeof useUnknownActions>;

/** The fields that arrive and are not stored, which can be made columns. */
export function UnknownFields({ table }: { table: TableDefinition }) {
  const { locale } = useLocale();
  const { data, error, refetch } = useUnknownFields(table.slug);
  const backfills = useBackfills(table.slug);
  const actions = useUnknownActions(table.slug);
  if (error) return <ErrorNote error={error} retry={refetch} />;
  if (!data || (data.items.length === 0 && data.others === 0 && !data.keeping)) return null;
  const latest = (field: string) => backfills.data?.items.find((one) => one.field === field);
  const open = data.items.filter(({ status }) => status === "seen" || status === "retired");
  const made = data.items.filter(({ status }) => status === "made");
  const ignored = data.items.filter(({ status }) => status === "ignored");
  const problem = actions.ignore.error ?? actions.keep.error ?? actions.fill.error ?? actions.cancel.error;
  return (
    <section id="unknown-fields" aria-labelledby="unknown-fields-title" className="mt-6 scroll-mt-4">
      <h2 id="unknown-fields-title" className="mb-2 font-medium text-ink">
        Fields that arrive and are not stored
      </h2>
      {problem && <ErrorNote error={problem} />}
      <Card flush footer={<Keeping keeping={data.keeping} actions={actions} />}>
        {open.length === 0 && <p className="px-4 py-3 text-muted">Every field that arrives has a column.</p>}
        <ul aria-label="Fields that arrive and are not stored" className="divide-y divide-line">
          {open.map((field) => (
            <OpenField key={field.name} table={table} field={field} actions={actions} />
          ))}
        </ul>
        {data.others > 0 && (
          <p className="border-line border-t px-4 py-2 text-subtle text-xs">
            {otherFields({ count: data.others }, locale)}
          </p>
        )}
      </Card>
      {made.length > 0 && (
        <>
          <h3 className="mt-4 mb-2 text-muted">Made into columns</h3>
          <Card flush>
            <ul aria-label="Made into columns" className="divide-y divide-line">
              {made.map((field) => (
                <MadeField key={field.name} field={field} backfill={latest(field.name)} actions={actions} />
              ))}
            </ul>
          </Card>
        </>
      )}
      {ignored.length > 0 && (
        <details className="mt-4">
          <summary className="cursor-pointer rounded-sm text-muted">Ignored</summary>
          <ul aria-label="Ignored fields" className="mt-2 flex flex-col gap-1">
            {ignored.map((field) => (
              <li key={field.name} className="flex items-center gap-3">
                <code className="min-w-0 text-muted wrap-anywhere">{field.name}</code>
                <Button
                  size="sm"
                  aria-label={`No longer ignore ${field.name}`}
                  onClick={() => actions.ignore.set(field, false)}
                >
                  Show again
                </Button>
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

interface FieldProps {
  field: UnknownField;
  actions: Actions;
}

function OpenField({ table, field, actions }: FieldProps & { table: TableDefinition }) {
  const [making, setMaking] = useState(false);
  const type = field.type;
  return (
    <li className="flex flex-wrap items-start gap-x-3 gap-y-2 px-4 py-3">
      <FieldFacts field={field} />
      <div className="flex gap-2">
        {type && field.status === "seen" && (
          <Button size="sm" aria-label={`Make ${field.name} a column`} onClick={() => setMaking(true)}>
            Make it a column
          </Button>
        )}
        <Button size="sm" aria-label={`Ignore ${field.name}`} onClick={() => actions.ignore.set(field, true)}>
          Ignore
        </Button>
      </div>
      {making && type && (
        <ColumnDialog
          table={table}
          start={{ ...emptyColumn, name: field.suggested ?? "", kind: type }}
          // The column is there, even if it could not be filled: the section says why not.
          onAdded={(column) => actions.fill.mutateAsync({ field: field.name, column }).catch(() => undefined)}
          onClosed={() => setMaking(false)}
        />
      )}
    </li>
  );
}

function FieldFacts({ field }: { field: UnknownField }) {
  const { locale } = useLocale();
  const { name, suggested, type, samples } = field;
  return (
    <div className="min-w-0 flex-1 basis-64">
      <p className="flex flex-wrap items-center gap-2">
        <span className="min-w-0 font-medium font-mono text-ink text-sm wrap-anywhere">{name}</span>
        {type && <Badge>{labelOf(type)}</Badge>}
        <Mixed field={field} />
      </p>
      <p className="text-muted">
        {cameIn({ count: field.records }, locale)} <Time value={field.first_seen_at} inline />
        {field.kept > 0 && `; ${valuesKept({ count: field.kept }, locale)}`}
      </p>
      {samples.length > 0 && (
        <p className="mt-1 flex flex-wrap gap-1.5">
          <span className="sr-only">Masked samples:</span>
          {samples.map((sample) => (
            <code key={sample} className="rounded-sm bg-sunken px-1.5 text-muted text-xs wrap-anywhere">
              {sample}
            </code>
          ))}
        </p>
      )}
      {!type && <p className="mt-1 text-muted">Its values are objects or lists, which no column takes.</p>}
      {field.status === "retired" && (
        <p className="mt-1 text-muted">
          There was a column of this name, which was retired. Bring it back above.
        </p>
      )}
      {type && field.status === "seen" && suggested !== name && <OtherName name={name} column={suggested} />}
    </div>
  );
}

const labelOf = (kind: string) =>
  kind === "nested" ? "Objects and lists" : (kinds.find(({ value }) => value === kind)?.label ?? kind);

/** How many values are of which kind, if they differ. */
function Mixed({ field }: { field: UnknownField }) {
  const { locale } = useLocale();
  const found = Object.entries(field.kinds).filter(([kind, count]) => kind !== "empty" && count > 0);
  if (found.length < 2) return null;
  return (
    <span className="text-subtle text-xs tabular-nums">
      {found.map(([kind, count]) => `${labelOf(kind)}: ${formatNumber(count, locale)}`).join(", ")}
    </span>
  );
}

/** Says what a column of another name can do, and what not. */
function OtherName({ name, column }: { name: string; column: string | undefined }) {
  return (
    <p className="mt-1 text-muted wrap-anywhere">
      A column cannot have this name. {column ? <code className="text-ink">{column}</code> : "Another one"} is
      filled with the values that are kept, but new records must send that name too: what they send as{" "}
      <code className="text-ink">{name}</code> is still not stored.
    </p>
  );
}

function MadeField({ field, backfill, actions }: FieldProps & { backfill: Backfill | undefined }) {
  const column = field.column ?? field.name;
  const going = backfill !== undefined && isGoing(backfill);
  return (
    <li className="px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <p className="min-w-0 flex-1 wrap-anywhere">
          <span className="font-medium font-mono text-ink text-sm">{field.name}</span>
          {column !== field.name && (
            <span className="text-muted">
              {" "}
              is the column <code className="text-ink">{column}</code>
            </span>
          )}
        </p>
        {!going && (!backfill || field.kept > 0) && (
          <Button
            size="sm"
            loading={actions.fill.isPending}
            aria-label={`Fill ${column}`}
            onClick={() => actions.fill.mutate({ field: field.name, column })}
          >
            {backfill ? "Fill again" : "Fill it"}
          </Button>
        )}
      </div>
      {field.still_comes && (
        <p className="mt-1 text-warn-ink wrap-anywhere">
          Records still send {field.name}, which is not stored. They have to send {column}.
        </p>
      )}
      {backfill && <BackfillProgress backfill={backfill} actions={actions} />}
    </li>
  );
}

function Keeping({ keeping, actions }: { keeping: boolean; actions: Actions }) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
      <p className="min-w-0 flex-1 basis-72">
        {keeping
          ? "The newest value of each record is kept, for 30 days unless your operator has set another number. A new column is filled with them."
          : "Only masked samples are kept. Keep the values too, if a new column is to be filled with what came before."}
      </p>
      {keeping ? (
        <ConfirmDialog
          title="Stop keeping values?"
          confirm="Stop and delete"
          onConfirm={async () => {
            await actions.keep.set(false);
          }}
          trigger={<Button size="sm">Stop keeping values</Button>}
        >
          The values that were kept are deleted now. Columns that were filled with them stay as they are.
        </ConfirmDialog>
      ) : (
        <Button
          size="sm"
          loading={actions.keep.isPending}
          onClick={() => void actions.keep.set(true).catch(() => undefined)}
        >
          Keep values
        </Button>
      )}
    </div>
  );
}
