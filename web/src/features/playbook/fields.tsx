import type { ReactNode } from "react";
import type { ConfigKey } from "@/api/types.gen";
import type { Edit } from "@/lib/edit";
import { useLocale } from "@/lib/locale";
import { usePlace } from "@/lib/session";
import { Checkbox } from "@/ui/checkbox";
import { Field } from "@/ui/field";
import { Input } from "@/ui/input";
import { type Draft, keyLabel, keyUnit, writeValue } from "./model";

export interface FormFields {
  edit: Edit<Draft, unknown>;
  /** The person may only read. */
  fixed: boolean;
}

/** Returns the props of a field's control: its value, and what typing does. */
export function control({ edit: { session, draft } }: FormFields, name: string) {
  const set = (value: string) => session.type({ ...session.state.draft, [name]: value });
  return { value: draft[name] ?? "", set };
}

interface TextProps extends FormFields {
  name: string;
  label: string;
  hint?: ReactNode;
  optional?: boolean;
  type?: "text" | "date";
  trail?: string | undefined;
  mono?: boolean;
  decimal?: boolean;
}

/** A field of one line. */
export function TextField(props: TextProps) {
  const { edit, fixed, name, label, hint, optional, type = "text", trail, mono, decimal } = props;
  const { value, set } = control(props, name);
  return (
    <Field
      label={label}
      hint={hint}
      error={edit.failure?.fieldError(name)}
      disabled={fixed}
      {...(optional && { optional })}
    >
      <Input
        type={type}
        value={value}
        trail={trail}
        onChange={(event) => set(event.currentTarget.value)}
        {...(mono && { mono })}
        {...(decimal && { inputMode: "decimal" as const })}
      />
    </Field>
  );
}

/** The field of a config key, with its meaning, its default and what raising it does. */
export function KeyField({ of, override, ...form }: FormFields & { of: ConfigKey; override?: boolean }) {
  const { locale } = useLocale();
  const { workspace } = usePlace();
  const { value, set } = control(form, of.name);
  const standard = writeValue(of.default, locale);
  const now = writeValue(of.value, locale);
  if (of.type === "boolean")
    return (
      <Checkbox
        label={keyLabel(of.name)}
        hint={`${of.meaning} ${of.raising} Default: ${standard === "true" ? "on" : "off"}.`}
        disabled={form.fixed}
        checked={value === "true"}
        onCheckedChange={(checked) => set(String(checked))}
      />
    );
  return (
    <TextField
      {...form}
      name={of.name}
      label={keyLabel(of.name)}
      hint={`${of.meaning} ${of.raising} ${override ? `Empty: not overridden, ${now}.` : `Default: ${standard || "none"}.`}`}
      trail={keyUnit(of, workspace.base_currency)}
      decimal
      {...(override && { optional: true })}
    />
  );
}
