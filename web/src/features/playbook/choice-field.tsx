import type { ReactNode } from "react";
import { Field } from "@/ui/field";
import { Select } from "@/ui/select";
import { control, type FormFields } from "./fields";

interface ChoiceProps extends FormFields {
  name: string;
  label: string;
  hint?: ReactNode;
  options: readonly { value: string; label: string; hint?: string }[];
}

/** A field with fixed choices. */
export function ChoiceField(props: ChoiceProps) {
  const { edit, fixed, name, label, hint, options } = props;
  const { value, set } = control(props, name);
  return (
    <Field label={label} hint={hint} error={edit.failure?.fieldError(name)} disabled={fixed}>
      <Select value={value} onValueChange={set} options={options} disabled={fixed} />
    </Field>
  );
}
