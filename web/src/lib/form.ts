import { zodResolver } from "@hookform/resolvers/zod";
import { useEffect, useState } from "react";
import {
  type DefaultValues,
  type FieldValues,
  type Path,
  type UseFormReturn,
  useForm,
} from "react-hook-form";
import type * as z from "zod/mini";
import { type ApiError, toApiError } from "./problem";

interface ServerForm<T extends FieldValues> {
  schema: z.ZodMiniType<T, T>;
  defaultValues: DefaultValues<T>;
  /** May throw whatever a call throws. */
  send: (values: T) => Promise<unknown>;
  /** Maps the service's field names to the form's, where they differ. */
  names?: Record<string, Path<T>>;
  /** The field to focus when the page opens. Dialogs set the focus themselves. */
  focus?: Path<T>;
}

/**
 * react-hook-form and zod for a form that the service validates in the end. It shows the service's
 * errors about fields at the fields; other errors are in `failure`, for the form to show. For pages
 * without a session; all others use lib/edit-form.ts.
 */
export function useServerForm<T extends FieldValues>(options: ServerForm<T>) {
  const { schema, defaultValues, send, names = {}, focus } = options;
  const [failure, setFailure] = useState<ApiError>();
  const form = useForm<T>({ resolver: zodResolver(schema), defaultValues });

  const { setFocus } = form;
  useEffect(() => {
    if (focus) setFocus(focus);
  }, [focus, setFocus]);

  const submit = form.handleSubmit(async (values) => {
    setFailure(undefined);
    try {
      await send(values);
    } catch (cause) {
      const error = toApiError(cause);
      showRefusal(form, names, error);
      if (unshownRefusal(values, names, error)) setFailure(error);
    }
  });

  return { ...form, submit, failure };
}

type Names<T extends FieldValues> = Record<string, Path<T>>;

const fieldsOf = (error: ApiError) => error.errors.map(({ pointer }) => pointer.replace(/^#\//, ""));

/** Shows a refusal's field errors at their fields. */
export function showRefusal<T extends FieldValues>(
  form: UseFormReturn<T>,
  names: Names<T>,
  error: ApiError,
): void {
  const values = form.getValues();
  const mine = fieldsOf(error).filter((name) => name in names || name in values);
  for (const [index, name] of mine.entries()) {
    const field = names[name] ?? (name as Path<T>);
    form.setError(field, { message: error.fieldError(name) }, { shouldFocus: index === 0 });
  }
}

/** Whether a refusal has errors that are not about fields of the form. */
export function unshownRefusal<T extends FieldValues>(values: T, names: Names<T>, error: ApiError): boolean {
  const found = fieldsOf(error);
  return found.length === 0 || found.some((name) => !(name in names) && !(name in values));
}
