import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { Controller } from "react-hook-form";
import * as z from "zod/mini";
import { changeConnection, getConnection } from "@/api/sdk.gen";
import type { Connection } from "@/api/types.gen";
import { useWhoChanged } from "@/features/audit/who-changed";
import { useEditForm } from "@/lib/edit-form";
import { usePlace } from "@/lib/session";
import { Button } from "@/ui/button";
import { Checkbox } from "@/ui/checkbox";
import { Dialog, DialogClose } from "@/ui/dialog";
import { ErrorNote } from "@/ui/error-note";
import { BareField, Field } from "@/ui/field";
import { FormConflict } from "@/ui/form-conflict";
import { Input } from "@/ui/input";
import { Select } from "@/ui/select";
import { toast } from "@/ui/toast";
import { UnsavedNote } from "@/ui/unsaved-note";
import { locationsOf, settingsOf, useKeep } from "./queries";

const schema = z.object({
  name: z
    .string()
    .check(z.trim(), z.minLength(1, "Give it a name."), z.maxLength(100, "At most 100 characters.")),
  may_export: z.boolean(),
  may_load: z.boolean(),
  location: z.string(),
  calls_per_minute: z
    .string()
    .check(z.trim(), z.regex(/^([1-9]\d?|[1-5]\d\d|600)$/, "Choose between 1 and 600 calls a minute.")),
});

type Draft = z.infer<typeof schema>;

const labels: Record<keyof Draft, string> = {
  name: "Name",
  may_export: "Export",
  may_load: "Load",
  location: "Location",
  calls_per_minute: "Calls a minute",
};

const toDraft = (connection: Connection): Draft => ({
  name: connection.name,
  may_export: connection.may_export,
  may_load: connection.may_load,
  location: connection.location,
  calls_per_minute: String(connection.calls_per_minute),
});

interface SettingsDialogProps {
  connection: Connection;
  onClosed: () => void;
}

/** Changes what a connection may do, and where goods arrive. */
export function SettingsDialog({ connection, onClosed }: SettingsDialogProps) {
  const [open, setOpen] = useState(true);
  const formId = useId();
  const { workspace } = usePlace();
  const keep = useKeep();
  const path = { workspace: workspace.id, connection: connection.id };
  const whoChanged = useWhoChanged();
  const { register, control, submit, formState, failure, edit } = useEditForm<Draft, Connection>({
    thing: settingsOf(connection.id),
    schema,
    seen: connection,
    toDraft,
    send: async ({ calls_per_minute, ...values }, seen) => {
      const changed = await changeConnection({
        path,
        headers: { "If-Match": `"${seen.version}"` },
        body: { ...values, calls_per_minute: Number(calls_per_minute) },
        throwOnError: true,
      });
      keep(changed.data);
      toast.success("Settings saved");
      return changed.data;
    },
    onSaved: () => setOpen(false),
    look: async () => {
      const [now, who] = await Promise.all([
        getConnection({ path, throwOnError: true }),
        whoChanged("connection.changed", connection.id),
      ]);
      return { seen: now.data, ...who };
    },
  });
  const { errors } = formState;
  return (
    <Dialog
      title="Settings"
      open={open}
      onOpenChange={setOpen}
      onClosed={onClosed}
      edit={edit}
      footer={
        <>
          <DialogClose>
            <Button>Cancel</Button>
          </DialogClose>
          <Button type="submit" form={formId} variant="primary" loading={edit.saving}>
            Save
          </Button>
        </>
      }
    >
      <form id={formId} noValidate className="flex flex-col gap-4" onSubmit={submit}>
        <Field label="Name" error={errors.name?.message}>
          <Input {...register("name")} autoComplete="off" />
        </Field>
        <BareField error={errors.may_export?.message}>
          <fieldset className="flex flex-col gap-2">
            <legend className="mb-1.5 font-medium text-ink text-sm">It may</legend>
            <Controller
              control={control}
              name="may_export"
              render={({ field: { value, onChange, ...field } }) => (
                <Checkbox
                  {...field}
                  checked={value}
                  onCheckedChange={(on) => onChange(on)}
                  label="Export"
                  hint="Orders of this workspace are written there."
                />
              )}
            />
            <Controller
              control={control}
              name="may_load"
              render={({ field: { value, onChange, ...field } }) => (
                <Checkbox
                  {...field}
                  checked={value}
                  onCheckedChange={(on) => onChange(on)}
                  label="Load"
                  hint="Its orders and receipts are read into this workspace."
                />
              )}
            />
          </fieldset>
        </BareField>
        <Controller
          control={control}
          name="location"
          render={({ field: { value, onChange } }) => (
            <LocationField
              connection={connection}
              value={value}
              onChange={onChange}
              error={errors.location?.message}
            />
          )}
        />
        <Field
          label="Calls a minute"
          hint="Katana allows 60. Other programs that call it share them."
          error={errors.calls_per_minute?.message}
        >
          <Input {...register("calls_per_minute")} inputMode="numeric" className="max-w-28" />
        </Field>
        <FormConflict edit={edit} labels={labels} show={(value) => String(value)} />
        {failure && <ErrorNote error={failure} />}
        {edit.restored && <UnsavedNote onDiscard={() => edit.session.type(edit.start)} />}
      </form>
    </Dialog>
  );
}

interface LocationFieldProps {
  connection: Connection;
  value: string;
  onChange: (id: string) => void;
  error: string | undefined;
}

/** The other system's locations, once a test has passed. */
function LocationField({ connection, value, onChange, error: refused }: LocationFieldProps) {
  const { workspace } = usePlace();
  const passed = connection.test?.passed === true;
  const { data, error, isFetching, refetch } = useQuery(locationsOf(workspace.id, connection));
  const known = data?.items ?? [];
  const options = known.map(({ id, name = id }) => ({ value: id, label: name }));
  if (value && !known.some(({ id }) => id === value)) options.unshift({ value, label: `Location ${value}` });
  return (
    <div className="flex flex-col gap-2">
      <Field
        label="Location"
        hint={
          passed
            ? "Exported orders arrive there, unless their lines name a location that is mapped."
            : "Test the connection first: its locations are listed then."
        }
        error={refused}
      >
        <Select
          options={options}
          value={value || null}
          onValueChange={onChange}
          disabled={options.length === 0}
          placeholder={isFetching ? "Loading…" : "Choose…"}
        />
      </Field>
      {error && <ErrorNote error={error} retry={refetch} />}
    </div>
  );
}
