import { type FormEvent, useEffect, useState } from "react";
import type { TableColumn } from "@/api/types.gen";
import { useFocusRefused } from "@/lib/focus";
import { useLocale } from "@/lib/locale";
import { Button } from "@/ui/button";
import { Checkbox } from "@/ui/checkbox";
import { BareField } from "@/ui/field";
import { Input } from "@/ui/input";
import { Select } from "@/ui/select";
import { Textarea } from "@/ui/textarea";
import type { Conditions } from "./state";
import { dayOf, fromShape, type Shape, shapeLabel, shapesOf, toShape, unclearValues } from "./value";

interface FilterEditorProps {
  column: TableColumn;
  conditions?: Conditions;
  /** Without conditions the filter is removed. */
  onApply: (conditions: Conditions | undefined) => void;
}

/** Edits one column's filter: its operator and values. */
export function FilterEditor({ column, conditions, onApply }: FilterEditorProps) {
  const locale = useLocale();
  const shapes = shapesOf(column);
  const [{ shape, values }, setEntered] = useState<{ shape: Shape; values: string[] }>(() =>
    conditions
      ? toShape(column, conditions, locale)
      : { shape: column.choices ? "in" : (shapes[0] ?? "eq"), values: [] },
  );
  const [incomplete, setIncomplete] = useState(false);
  /** Questions about ambiguous values, by their index. */
  const [asked, setAsked] = useState<string[]>([]);
  const form = useFocusRefused(asked);
  useEffect(() => {
    form.current?.querySelector<HTMLElement>("input:not([aria-hidden]),textarea")?.focus();
  }, [form]);

  const next = fromShape(column, { shape, values }, locale);
  function submit(event: FormEvent) {
    event.preventDefault();
    const unclear = unclearValues(column, values, locale.locale);
    setAsked(unclear);
    if (unclear.length > 0) return;
    if (next) onApply(next);
    else setIncomplete(true);
  }

  return (
    <form ref={form} onSubmit={submit} className="flex flex-col gap-3" noValidate>
      <div className="flex flex-col gap-1.5">
        <span className="font-medium">{column.label}</span>
        <Select
          aria-label="How"
          options={shapes.map((one) => ({ value: one, label: shapeLabel(one, column) }))}
          value={shape}
          onValueChange={(next) => setEntered({ shape: next, values })}
        />
      </div>
      <Values
        {...{ column, shape, values, asked }}
        onChange={(entered) => setEntered({ shape, values: entered })}
      />
      {incomplete && !next && (
        <p role="alert" className="text-bad-ink text-xs">
          {shape === "between" ? "Give both ends of the range." : "Give a value to compare with."}
        </p>
      )}
      <div className="flex justify-end gap-2">
        {conditions && (
          <Button size="sm" variant="ghost" onClick={() => onApply(undefined)}>
            Remove
          </Button>
        )}
        <Button size="sm" variant="primary" type="submit">
          Apply
        </Button>
      </div>
    </form>
  );
}

interface ValuesProps {
  column: TableColumn;
  shape: Shape;
  values: string[];
  asked: string[];
  onChange: (values: string[]) => void;
}

function Values({ column, shape, values, asked, onChange }: ValuesProps) {
  const locale = useLocale();
  if (shape === "empty" || shape === "filled") return null;
  const choices = column.type === "boolean" ? ["true", "false"] : column.choices;
  if (choices && shape === "in")
    return (
      <div className="flex max-h-60 flex-col gap-2 overflow-y-auto p-1">
        {choices.map((choice) => (
          <Checkbox
            key={choice}
            label={choice}
            checked={values.includes(choice)}
            onCheckedChange={(on) =>
              onChange(on ? [...values, choice] : values.filter((one) => one !== choice))
            }
          />
        ))}
      </div>
    );
  if (choices && shape !== "contains")
    return (
      <Select
        aria-label="Value"
        options={choices.map((choice) => ({
          value: choice,
          label: column.type === "boolean" ? (choice === "true" ? "Yes" : "No") : choice,
        }))}
        value={values[0] ?? null}
        onValueChange={(value) => onChange([value])}
      />
    );
  if (shape === "in")
    return (
      <BareField error={Object.values(asked).join(" ") || undefined}>
        <Textarea
          aria-label="Values, one per line"
          placeholder="One per line"
          rows={4}
          value={values.join("\n")}
          onChange={(event) => onChange(event.currentTarget.value.split("\n"))}
        />
      </BareField>
    );
  const dated = column.type === "date" || column.type === "datetime";
  const entry = (at: number, label: string) => (
    <BareField error={asked[at]}>
      <Input
        aria-label={label}
        // Times are also filtered by a day, in the workspace's zone.
        type={dated ? "date" : "text"}
        inputMode={column.type === "number" ? "decimal" : undefined}
        value={dated ? dayOf(column, values[at] ?? "", locale) : (values[at] ?? "")}
        onChange={(event) => onChange(Object.assign([...values], { [at]: event.currentTarget.value }))}
      />
    </BareField>
  );
  if (shape !== "between") return entry(0, "Value");
  return (
    <div className="grid grid-cols-2 gap-2">
      {entry(0, "From")}
      {entry(1, "To")}
    </div>
  );
}
