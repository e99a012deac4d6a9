import { Lightbulb, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import type { Column, Fix, Sample } from "@/api/types.gen";
import { members } from "@/lib/json-text";
import { Button } from "@/ui/button";
import { Field } from "@/ui/field";
import { IconButton } from "@/ui/icon-button";
import { Select } from "@/ui/select";
import { Suggest, type Suggestion } from "@/ui/suggest";
import { asJson, draftFix, fixProblem, fixWords, toFix } from "./fixes";
import { type DraftFix, maxFixes } from "./retry-search";

const kinds: { value: Fix["do"]; label: string; hint: string }[] = [
  { value: "set", label: "Set a field", hint: "gives the field a value, even if it is missing" },
  { value: "rename", label: "Rename a field", hint: "keeps the value; replaces a field with the new name" },
  { value: "map", label: "Map a value", hint: "replaces one value of the field with another" },
  { value: "drop", label: "Drop a field", hint: "removes the field" },
];

interface FixListProps {
  fixes: DraftFix[];
  onChange: (fixes: DraftFix[]) => void;
  /** Suggested fixes. */
  offers: DraftFix[];
  fields: Suggestion[];
  columns: readonly Column[];
  samples: readonly Sample[];
}

/** The editor for a list of fixes. */
export function FixList({ fixes, onChange, offers, ...known }: FixListProps) {
  const has = (offer: DraftFix) =>
    fixes.some(
      (fix) => fix.do === offer.do && fix.field === offer.field && asJson(fix.from) === asJson(offer.from),
    );
  const fresh = offers.filter((offer) => !has(offer));
  const add = (fix: DraftFix) => onChange([...fixes, fix]);
  return (
    <div className="flex flex-col gap-3">
      {fixes.map((fix, index) => (
        <FixForm
          // biome-ignore lint/suspicious/noArrayIndexKey: a change is its place in the order
          key={index}
          fix={fix}
          number={index + 1}
          onChange={(next) => onChange(fixes.with(index, next))}
          onRemove={() => onChange(fixes.toSpliced(index, 1))}
          {...known}
        />
      ))}
      {fresh.length > 0 && (
        <div>
          <p className="mb-1.5 flex items-center gap-1.5 text-muted text-xs">
            <Lightbulb className="size-3.5" aria-hidden />
            Suggested by the payloads
          </p>
          <div className="flex flex-wrap gap-1.5">
            {fresh.map((offer) => (
              <Button
                key={offer.do + offer.field + offer.from}
                size="sm"
                className="max-w-full"
                onClick={() => add(offer)}
              >
                <span className="truncate">{offerWords(offer)}</span>
              </Button>
            ))}
          </div>
        </div>
      )}
      {fixes.length < maxFixes && (
        <Button size="sm" icon={<Plus aria-hidden />} className="w-fit" onClick={() => add(draftFix())}>
          Add a change
        </Button>
      )}
    </div>
  );
}

function offerWords(offer: DraftFix): string {
  const words =
    offer.do === "map" ? `replace ${asJson(offer.from)} in ${offer.field}…` : fixWords(toFix(offer));
  return words.charAt(0).toUpperCase() + words.slice(1);
}

interface FixFormProps extends Omit<FixListProps, "fixes" | "onChange" | "offers"> {
  fix: DraftFix;
  number: number;
  onChange: (fix: DraftFix) => void;
  onRemove: () => void;
}

function FixForm({ fix, number, onChange, onRemove, fields, columns, samples }: FixFormProps) {
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
          onValueChange={(kind) => set({ do: kind })}
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
