import { useMutation, useQuery } from "@tanstack/react-query";
import { useId, useRef, useState } from "react";
import { Controller, useWatch } from "react-hook-form";
import { convertTableColumnMutation, putTableColumnMutation } from "@/api/@tanstack/react-query.gen";
import type { DefinedColumn, TableDefinition } from "@/api/types.gen";
import { usualLeast, usualMost, writeBound } from "@/lib/bounds";
import { useEditForm } from "@/lib/edit-form";
import { useLocale } from "@/lib/locale";
import { usePlace } from "@/lib/session";
import { Button } from "@/ui/button";
import { Checkbox } from "@/ui/checkbox";
import { Dialog, DialogClose } from "@/ui/dialog";
import { ErrorNote } from "@/ui/error-note";
import { Field } from "@/ui/field";
import { Input } from "@/ui/input";
import { Select } from "@/ui/select";
import { Textarea } from "@/ui/textarea";
import { toast } from "@/ui/toast";
import { UnsavedNote } from "@/ui/unsaved-note";
import { type ColumnDraft, columnName, emptyColumn, schema, toDraft, toRules } from "./column-form";
import { useReloadDefinitions } from "./definitions";
import { tablesQuery } from "./queries";
import { kinds } from "./rules";
import { fineInWords, retypes } from "./trial";
import { TrialNote } from "./trial-note";
import { useTrial } from "./use-trial";

interface ColumnDialogProps {
  table: TableDefinition;
  /** The column to change; absent: a new one. */
  column?: DefinedColumn | undefined;
  /** What a new column begins with. */
  start?: ColumnDraft | undefined;
  /** Called when a new column was stored. The dialog waits for it. */
  onAdded?: ((name: string) => Promise<unknown>) | undefined;
  onClosed: () => void;
}

/** Adds a column to a table, or changes one that the company has defined. */
export function ColumnDialog({ table, column, start, onAdded, onClosed }: ColumnDialogProps) {
  const { company } = usePlace();
  const [open, setOpen] = useState(true);
  const formId = useId();
  const { mutateAsync } = useMutation(putTableColumnMutation());
  const { mutateAsync: convert } = useMutation(convertTableColumnMutation());
  const reload = useReloadDefinitions();
  const { ask, shown, trying, error } = useTrial(table, column);
  const { locale } = useLocale();
  const fine = useRef<string>(undefined);
  /** How many values the person was told that a conversion empties. */
  const lose = useRef(0);
  const form = useEditForm<ColumnDraft, ColumnDraft>({
    thing: `column/${table.slug}/${column?.name ?? (start ? `new ${start.name}` : "")}`,
    schema,
    seen: column ? toDraft(column) : (start ?? emptyColumn),
    toDraft: (seen) => seen,
    names: { type: "kind" },
    send: async (values) => {
      const body = toRules(values, column);
      const call = {
        path: { tenant: company.id, definition: table.slug, column: values.name },
        headers: { "If-Match": `"${table.version}"` },
      };
      if (retypes(column, body)) await convert({ ...call, body: { ...body, lose: lose.current } });
      else await mutateAsync({ ...call, body });
      await reload();
      if (!column) await onAdded?.(values.name);
      toast.success(column ? `Column ${values.name} saved` : `Column ${values.name} added`, {
        ...(fine.current && { description: fine.current }),
      });
      return undefined;
    },
    onSaved: () => setOpen(false),
  });
  const { register, control, submit, handleSubmit, setValue, getValues, failure, formState, edit } = form;
  const { errors } = formState;
  const save = handleSubmit(async (values) => {
    const { save, trial } = await ask(values.name, toRules(values, column));
    if (trial) lose.current = trial.rows.unreadable;
    fine.current = save && trial ? fineInWords(trial, locale) : undefined;
    if (save) await submit();
  });
  const trial = shown(toRules(edit.draft, column));
  const kind = useWatch({ control, name: "kind" });
  const required = useWatch({ control, name: "required" });
  const text = kind === "text";
  return (
    <Dialog
      title={column ? `Change ${column.name}` : "Add a column"}
      open={open}
      onOpenChange={setOpen}
      onClosed={onClosed}
      edit={edit}
      footer={
        <>
          <DialogClose>
            <Button>Cancel</Button>
          </DialogClose>
          <Button type="submit" form={formId} variant="primary" loading={edit.saving || trying}>
            {trial ? (column ? "Save anyway" : "Add anyway") : column ? "Save" : "Add column"}
          </Button>
        </>
      }
    >
      <form id={formId} noValidate className="flex flex-col gap-4" onSubmit={save}>
        <Field
          label="Name"
          hint={column ? "A name never changes." : "The name that systems send: letters, digits and _."}
          error={errors.name?.message}
        >
          <Input
            {...register("name", {
              onBlur: () => setValue("name", columnName(getValues("name")), { shouldDirty: true }),
            })}
            readOnly={column !== undefined}
            placeholder="decided_on"
            autoComplete="off"
          />
        </Field>
        <Field
          label="Type"
          hint={
            column &&
            (kind === "reference"
              ? "What a column refers to never changes."
              : "Another type converts what is stored.")
          }
          error={errors.kind?.message}
        >
          <Controller
            control={control}
            name="kind"
            render={({ field }) => (
              <Select
                value={field.value}
                onValueChange={field.onChange}
                options={
                  column && kind !== "reference" ? kinds.filter(({ value }) => value !== "reference") : kinds
                }
                disabled={kind === "reference" && column !== undefined}
              />
            )}
          />
        </Field>
        {kind === "reference" && (
          <Field
            label="Table"
            hint="Systems send the external_id of its record."
            error={errors.references?.message}
          >
            <Controller
              control={control}
              name="references"
              render={({ field }) => (
                <TableSelect
                  value={field.value}
                  onValueChange={field.onChange}
                  disabled={column !== undefined}
                />
              )}
            />
          </Field>
        )}
        <Field label="Meaning" optional error={errors.description?.message}>
          <Textarea {...register("description")} rows={2} />
        </Field>
        {text && (
          <Field label="Choices" optional hint="One on each line." error={errors.choices?.message}>
            <Textarea {...register("choices")} rows={3} />
          </Field>
        )}
        {kind === "number" && (
          <div className="grid grid-cols-2 gap-4">
            <Field
              label="At least"
              optional
              hint={`If empty: ${writeBound(usualLeast, locale)}.`}
              error={errors.minimum?.message}
            >
              <Input {...register("minimum")} inputMode="decimal" />
            </Field>
            <Field
              label="At most"
              optional
              hint={`If empty: ${writeBound(usualMost, locale)}.`}
              error={errors.maximum?.message}
            >
              <Input {...register("maximum")} inputMode="decimal" />
            </Field>
          </div>
        )}
        <Flag control={control} name="required" label="Required" hint="A new record must have it." />
        {!required && (
          <Flag
            control={control}
            name="people_only"
            label="Only people fill it in"
            hint="Systems cannot send it."
          />
        )}
        <div className="grid grid-cols-2 gap-4">
          {kind !== "reference" && !required && (
            <Field label="If not given" optional error={errors.default?.message}>
              <Input {...register("default")} />
            </Field>
          )}
          <Field label="Example" optional error={errors.example?.message}>
            <Input {...register("example")} />
          </Field>
        </div>
        {edit.restored && <UnsavedNote onDiscard={() => edit.session.type(edit.start)} />}
        {trial && <TrialNote trial={trial} column={getValues("name")} />}
        {failure && <ErrorNote error={failure} />}
        {error && <ErrorNote error={error} />}
      </form>
    </Dialog>
  );
}

interface FlagProps {
  control: ReturnType<typeof useEditForm<ColumnDraft, ColumnDraft>>["control"];
  name: "required" | "people_only";
  label: string;
  hint: string;
}

function Flag({ control, name, label, hint }: FlagProps) {
  return (
    <Controller
      control={control}
      name={name}
      render={({ field }) => (
        <Checkbox label={label} hint={hint} checked={field.value} onCheckedChange={field.onChange} />
      )}
    />
  );
}

interface TableSelectProps {
  value: string;
  onValueChange: (slug: string) => void;
  disabled: boolean;
}

/** The tables whose records a column can name. */
function TableSelect({ value, onValueChange, disabled }: TableSelectProps) {
  const { workspace } = usePlace();
  const { data } = useQuery(tablesQuery(workspace.id));
  return (
    <Select
      value={value || null}
      onValueChange={onValueChange}
      disabled={disabled}
      options={(data?.items ?? [])
        .filter((one) => !one.computed)
        .map(({ slug, title }) => ({ value: slug, label: title }))}
    />
  );
}
