import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { createRow } from "@/api/sdk.gen";
import type { Table, TableColumn } from "@/api/types.gen";
import { typedDecimals } from "@/lib/decimal-text";
import { useEdit } from "@/lib/edit";
import { useLocale } from "@/lib/locale";
import { usePlace } from "@/lib/session";
import { moreFields } from "@/messages/tables";
import { Button } from "@/ui/button";
import { Dialog, DialogClose } from "@/ui/dialog";
import { ErrorNote } from "@/ui/error-note";
import { Field } from "@/ui/field";
import { Input } from "@/ui/input";
import { Select } from "@/ui/select";
import { Textarea } from "@/ui/textarea";
import { toast } from "@/ui/toast";
import { UnsavedNote } from "@/ui/unsaved-note";
import { newRecordOf } from "./new-record-button";
import { reloadRows } from "./queries";
import { fromDraft } from "./value";

/** The typed texts, by column. */
type Draft = Record<string, string>;

const form = "new-record";

interface NewRecordProps {
  table: Table;
  onClose: () => void;
}

/** The form of a new record. The service checks it as it checks records from systems. */
export function NewRecord({ table, onClose }: NewRecordProps) {
  const { workspace } = usePlace();
  const { locale } = useLocale();
  const client = useQueryClient();
  const [all, setAll] = useState(false);
  const edit = useEdit<Draft, null>(newRecordOf(table.slug), {
    seen: null,
    toDraft: () => ({}),
    save: async (draft) => {
      await createRow({
        path: { workspace: workspace.id, table: table.slug },
        body: { values: sent(table, draft, locale) },
        throwOnError: true,
      });
      toast.success(`Record created in ${table.title}`);
      reloadRows(client, workspace.id, table.slug);
      return undefined;
    },
    onSaved: onClose,
  });
  const { session, draft, saving, failure, restored } = edit;
  const { first, others } = offered(table, draft);
  const shown = all ? [...first, ...others] : first;
  const refused = new Set(failure?.errors.map(({ pointer }) => pointer.replace("#/", "")));
  const unseen = failure && !shown.some(({ name }) => refused.has(name));

  function submit(event: FormEvent) {
    event.preventDefault();
    void session.save();
  }
  function set(name: string, text: string) {
    const { [name]: _, ...rest } = draft;
    // A cleared field counts as never typed.
    session.type(text === "" ? rest : { ...rest, [name]: text });
  }
  return (
    <Dialog
      title="New record"
      description={table.title}
      open
      onOpenChange={(open) => !open && onClose()}
      placement="right"
      size="md"
      edit={edit}
      footer={
        <>
          <DialogClose>
            <Button>Cancel</Button>
          </DialogClose>
          <Button variant="primary" type="submit" form={form} loading={saving} disabled={!edit.dirty}>
            Save
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} className="flex flex-col gap-4" noValidate>
        {restored && <UnsavedNote onDiscard={session.discard} />}
        {unseen && <ErrorNote error={failure} />}
        {shown.map((column) => (
          <Field
            key={column.name}
            label={column.label}
            hint={hintOf(column)}
            optional={!column.required && !table.identity.includes(column.name)}
            error={failure?.fieldError(column.name)}
          >
            <Control
              column={column}
              text={draft[column.name] ?? ""}
              onType={(text) => set(column.name, text)}
            />
          </Field>
        ))}
        {!all && others.length > 0 && (
          <Button className="self-start" onClick={() => setAll(true)}>
            {moreFields({ count: others.length }, locale)}
          </Button>
        )}
      </form>
    </Dialog>
  );
}

/** Converts the typed texts to the API's values. */
function sent(table: Table, draft: Draft, locale: string): Record<string, unknown> {
  const typed = table.columns.flatMap((column) => {
    const text = draft[column.name];
    return text === undefined ? [] : [{ column, text }];
  });
  // All numbers at once, so that all ambiguous ones are reported together.
  const numbers = typed.filter(({ column }) => column.type === "number");
  typedDecimals(Object.fromEntries(numbers.map(({ column, text }) => [column.name, text])), locale);
  return Object.fromEntries(typed.map(({ column, text }) => [column.name, fromDraft(column, text, locale)]));
}

/** The writable columns: first those that identify the record, then important ones, then the rest. */
function offered(table: Table, draft: Draft): { first: TableColumn[]; others: TableColumn[] } {
  const settable = table.columns.filter((column) => column.settable);
  const byName = new Map(settable.map((column) => [column.name, column]));
  const names = [
    ...table.identity,
    ...settable.filter((column) => column.required).map((column) => column.name),
    ...table.default_view.select_fields,
    ...Object.keys(draft),
  ];
  const first = [...new Set(names)].flatMap((name) => byName.get(name) ?? []);
  return { first, others: settable.filter((column) => !first.includes(column)) };
}

function hintOf({ description, references }: TableColumn): string {
  return references ? `${description} By its id or code in ${references}.` : description;
}

interface ControlProps {
  column: TableColumn;
  text: string;
  onType: (text: string) => void;
}

const none = "(empty)";

function Control({ column, text, onType }: ControlProps) {
  const choices = column.type === "boolean" ? ["true", "false"] : column.choices;
  if (choices)
    return (
      <Select
        value={text || none}
        onValueChange={(value) => onType(value === none ? "" : value)}
        options={[
          { value: none, label: none },
          ...choices.map((choice) => ({
            value: choice,
            label: column.type === "boolean" ? (choice === "true" ? "Yes" : "No") : choice,
          })),
        ]}
      />
    );
  const typed = {
    value: text,
    onChange: (event: { currentTarget: { value: string } }) => onType(event.currentTarget.value),
  };
  if (longTexts.has(column.name)) return <Textarea {...typed} />;
  return (
    <Input
      {...typed}
      type={column.type === "date" ? "date" : "text"}
      inputMode={column.type === "number" ? "decimal" : undefined}
      placeholder={column.type === "datetime" ? "2026-03-14T09:30:00Z" : undefined}
      autoComplete="off"
    />
  );
}

/** Columns for texts of several lines. */
const longTexts = new Set(["note", "summary", "transcript", "action_items"]);
