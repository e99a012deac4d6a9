import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Controller } from "react-hook-form";
import * as z from "zod/mini";
import { createKeyMutation } from "@/api/@tanstack/react-query.gen";
import type { Options } from "@/api/sdk.gen";
import type { CreateKeyData, SecretKey } from "@/api/types.gen";
import { sourcesQuery } from "@/features/sources/queries";
import { useEditForm } from "@/lib/edit-form";
import { usePlace } from "@/lib/session";
import { Button } from "@/ui/button";
import { Checkbox } from "@/ui/checkbox";
import { Dialog } from "@/ui/dialog";
import { ErrorNote } from "@/ui/error-note";
import { Field } from "@/ui/field";
import { Input } from "@/ui/input";
import { Select } from "@/ui/select";
import { expiry, forever, lifetimes } from "./lifetime";
import { MasterWarning } from "./master-warning";
import { everyTable, useReloadKeys, writesLines } from "./queries";
import { RevealKey } from "./reveal-key";

const form = z.object({
  label: z
    .string()
    .check(z.trim(), z.minLength(1, "Say what the key is for."), z.maxLength(200, "At most 200 characters.")),
  scope: z.string().check(z.minLength(1, "Choose a table.")),
  lifetime: z.string(),
  ordersDrafted: z.boolean(),
});

export interface CreateKeyProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  /** The key's table; absent: the person chooses one. */
  scope?: string;
}

/**
 * Creates a key and shows it once. Mount it where it stays while the list of keys changes: if it
 * unmounts, an unsaved key is lost.
 */
export function CreateKeyDialog({ open, onOpenChange, scope }: CreateKeyProps) {
  const [made, setMade] = useState<SecretKey>();
  const { mutateAsync, isPending } = useMutation(createKeyMutation());
  return (
    <Dialog
      title={
        made ? "Your new key" : scope === everyTable ? "Create a Master Import Key" : "Create an API key"
      }
      description={made ? undefined : "A secret that a system sends with each record."}
      open={open}
      // An unsaved key must not be lost by an accidental click.
      onOpenChange={(next) => (next || (!made && !isPending)) && onOpenChange(next)}
      onClosed={() => setMade(undefined)}
      size="md"
    >
      {made ? (
        <RevealKey made={made} done={() => onOpenChange(false)} />
      ) : (
        <KeyForm scope={scope} create={mutateAsync} done={setMade} />
      )}
    </Dialog>
  );
}

interface KeyFormProps {
  scope?: string | undefined;
  create: (call: Options<CreateKeyData>) => Promise<SecretKey>;
  done: (made: SecretKey) => void;
}

function KeyForm({ scope, create, done }: KeyFormProps) {
  const { workspace } = usePlace();
  const tables = useQuery(sourcesQuery(workspace.id));
  const reload = useReloadKeys(workspace.id);
  const { register, control, submit, watch, formState, failure, edit } = useEditForm({
    thing: `new-key/${scope ?? ""}`,
    schema: form,
    seen: { label: "", scope: scope ?? "", lifetime: forever, ordersDrafted: false },
    toDraft: (seen) => seen,
    send: async ({ label, scope, lifetime, ordersDrafted }) => {
      const made = await create({
        path: { workspace: workspace.id },
        body: {
          label,
          scope,
          ...expiry(lifetime),
          ...(ordersDrafted && writesLines(scope) && { order_drafted_here: true }),
        },
      });
      done(made);
      void reload();
      return undefined;
    },
  });
  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-4">
      <Field
        label="Label"
        hint="What the key is for, so that people know later."
        error={formState.errors.label?.message}
      >
        <Input {...register("label")} placeholder="Shop sync" autoComplete="off" />
      </Field>
      {!scope && (
        <Field
          label="Table"
          error={formState.errors.scope?.message}
          hint="A key for one table is the safe choice."
        >
          <Controller
            control={control}
            name="scope"
            render={({ field }) => (
              <Select
                value={field.value}
                onValueChange={field.onChange}
                options={[
                  ...(tables.data?.items ?? []).map((one) => ({ value: one.slug, label: one.title })),
                  { value: everyTable, label: "Every table", hint: "Master Import Key" },
                ]}
              />
            )}
          />
        </Field>
      )}
      {watch("scope") === everyTable && <MasterWarning />}
      {writesLines(watch("scope")) && (
        <Controller
          control={control}
          name="ordersDrafted"
          render={({ field }) => (
            <Checkbox
              label="May order what was drafted here"
              hint="Without an approval, whatever the limits say. Only for a system that decides about orders itself. It cannot be changed later."
              checked={field.value}
              onCheckedChange={field.onChange}
            />
          )}
        />
      )}
      <Field label="Expires">
        <Controller
          control={control}
          name="lifetime"
          render={({ field }) => (
            <Select value={field.value} onValueChange={field.onChange} options={lifetimes} />
          )}
        />
      </Field>
      {failure && <ErrorNote error={failure} />}
      <div className="flex justify-end">
        <Button type="submit" variant="primary" loading={edit.saving}>
          Create key
        </Button>
      </div>
    </form>
  );
}
