import { zodResolver } from "@hookform/resolvers/zod";
import { useEffect } from "react";
import { type DefaultValues, type FieldValues, type Path, useForm } from "react-hook-form";
import type * as z from "zod/mini";
import { type EditOptions, useEdit } from "./edit";
import { same } from "./edit-state";
import { showRefusal, unshownRefusal } from "./form";
import { ApiError } from "./problem";

interface EditForm<T extends FieldValues, S> extends Omit<EditOptions<T, S>, "save"> {
  /** Names the draft; absent for secrets, which are never stored. */
  thing?: string | undefined;
  schema: z.ZodMiniType<T, T>;
  /** Sends the values with the version that the person saw. */
  send: (values: T, seen: S) => Promise<S | undefined>;
  /** Maps the service's field names to the form's, where they differ. */
  names?: Record<string, Path<T>>;
}

/** react-hook-form and zod for an edit: the form holds the fields, the edit session everything else. */
export function useEditForm<T extends FieldValues, S>(options: EditForm<T, S>) {
  const { thing, schema, send, names = {}, ...rest } = options;
  const edit = useEdit<T, S>(thing, {
    ...rest,
    save: (draft, seen) => send(parse(schema, draft), seen),
  });
  const { session, draft, failure } = edit;
  const form = useForm<T>({ resolver: zodResolver(schema), defaultValues: draft as DefaultValues<T> });
  const { watch, reset, getValues } = form;

  useEffect(() => {
    const watching = watch(() => session.type(structuredClone(getValues())));
    return () => watching.unsubscribe();
  }, [watch, getValues, session]);
  useEffect(() => {
    // The draft changed without typing: by a refetch, a save, or a rebase on somebody else's change.
    if (!same(getValues(), draft)) reset(draft, { keepErrors: true });
  }, [draft, getValues, reset]);

  const submit = form.handleSubmit(async () => {
    await session.save();
    const refused = session.state.failure;
    if (refused) showRefusal(form, names, refused);
  });
  return {
    ...form,
    submit,
    edit,
    failure: failure && unshownRefusal(getValues(), names, failure) ? failure : undefined,
  };
}

function parse<T extends FieldValues>(schema: z.ZodMiniType<T, T>, draft: T): T {
  const parsed = schema.safeParse(draft);
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.map(({ path, message }) => ({
    pointer: `#/${path.join("/")}`,
    code: "invalid",
    detail: message,
  }));
  throw new ApiError({ detail: errors[0]?.detail ?? "Something is missing", errors }, 422);
}
