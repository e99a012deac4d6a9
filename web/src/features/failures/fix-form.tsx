import { Trash2 } from "lucide-react";
import { useState } from "react";
import type { Column, Fix, Sample } from "@/api/types.gen";
import { members } from "@/lib/json-text";
import { Field } from "@/ui/field";
import { IconButton } from "@/ui/icon-button";
import { Select } from "@/ui/select";
import { Suggest, type Suggestion } from "@/ui/suggest";
import { asJson, fixProblem, written } from "./fixes";
import type { DraftFix, Form } from "./retry-search";

const kinds: { value: Fix["do"]; label: string; hint: string }[] = [
  { value: "set", label: "Set a field", hint: "gives the field a value, even if it is missing" },
  { value: "rename", label: "Rename a field", hint: "keeps the value; replaces a field with the new name" },
  { value: "map", label: "Map a value", hint: "replaces one value of the field with another" },
  { value: "number", label: "Read as number", hint: "texts such as 1.234,56" },
  { value: "date", label: "Read as date", hint: "texts such as 31.12.2026" },
  { value: "drop", label: "Drop a field", hint: "removes the field" },
];

const forms: Record<"number" | "date", Form[]> = {
  number: ["decimal_point", "decimal_comma"],
  date: ["day_first", "month_first", "year_first"],
};

export interface FixFormProps {
  fix: DraftFix;
  number: number;
  onChange: (fix: DraftFix) => void;
  onRemove: () => void;
  fields: Suggestion[];
  columns: readonly Column[];
  samples: readonly Sample[];
}

/** The editor for one fix. */
export function FixForm({ fix, number, onChange, onRemove, fields, columns, samples }: FixFormProps) {
  const [left, setLeft] = useState(false);
  const set = (change: Partial<DraftFix>) => onChange({ ...fix, ...change });
  const takes = columns
    .filter((column) => column.accepted)
    .map((column) => ({ value: column.name, hint: column.type }));
  const column = columns.find((one) => one.name === fix.field.trim());
  const sent = samples.flatMap((sample) =>
    members(sample.before)
      .filter((member) => member.name === fix.field.trim())
      .map((member) => member.value),
  );
  const problem = left ? fixProblem(fix) : undefined;
  return (
    <fieldset
      className="flex flex-col gap-2.5 rounded-md border border-line bg-sunken p-3 dark:bg-transparent"
      onBlur={(event) => !event.currentTarget.contains(event.relatedTarget) && setLeft(true)}
    >
      <legend className="sr-only">Change {number}</legend>
      <div className="flex items-center gap-2">
        <Select
          aria-label="What to do"
          options={kinds}
          value={fix.do}
          onValueChange={(kind) => set({ do: kind, form: "" })}
        />
        <IconButton label={`Remove change ${number}`} icon={<Trash2 />} size="sm" onClick={onRemove} />
      </div>
      <div className="grid gap-2.5 sm:grid-cols-2">
        <Field label="Field">
          <Suggest
            options={fields}
            value={fix.field}
            onValueChange={(field) => set({ field })}
            empty="Not in the payloads that are shown."
          />
        </Field>
        {fix.do === "rename" && (
          <Field label="New name">
            <Suggest
              options={takes}
              value={fix.to}
              onValueChange={(to) => set({ to })}
              empty="The table has no such column."
            />
          </Field>
        )}
        {fix.do === "map" && (
          <Field label="Old value" hint={fix.from && meant(fix.from)}>
            <Suggest
              options={[...new Set(sent)].map((value) => ({ value }))}
              value={fix.from}
              onValueChange={(from) => set({ from })}
              empty="Not in the payloads that are shown."
            />
          </Field>
        )}
        {(fix.do === "number" || fix.do === "date") && (
          <Field label="Written as">
            <Select
              options={forms[fix.do].map((form) => ({ value: form, label: written[form] }))}
              value={fix.form || null}
              onValueChange={(form) => set({ form })}
            />
          </Field>
        )}
        {(fix.do === "set" || fix.do === "map") && (
          <Field
            label={fix.do === "map" ? "New value" : "Value"}
            hint={fix.value && meant(fix.value)}
            className={fix.do === "map" ? "sm:col-start-2" : undefined}
          >
            <Suggest
              options={knownValues(column)}
              value={fix.value}
              onValueChange={(value) => set({ value })}
              empty="Any value: text, a number, true, false or null."
            />
          </Field>
        )}
      </div>
      {problem && <p className="text-bad-ink text-xs">{problem}</p>}
    </fieldset>
  );
}

/** Says how a typed value is read, so that a person who means the text 12 sees that it is a number. */
function meant(typed: string): string {
  const json = asJson(typed);
  if (json.startsWith('"')) return `the text ${json}`;
  if (json === "null") return "null: the field is cleared";
  if (/^[-\d]/.test(json)) return `the number ${json}`;
  return json;
}

function knownValues(column: Column | undefined): Suggestion[] {
  if (!column) return [];
  if (column.choices) return column.choices.map((value) => ({ value }));
  return column.type === "boolean" ? [{ value: "true" }, { value: "false" }] : [];
}
