import { useQuery } from "@tanstack/react-query";
import type { Fix, Sample } from "@/api/types.gen";
import { keysQuery } from "@/features/keys/queries";
import { usePlace } from "@/lib/session";
import { Checkbox } from "@/ui/checkbox";
import { Field } from "@/ui/field";
import { Select } from "@/ui/select";
import type { FailureFilter } from "./filter";
import { asRule, ruleWords } from "./rule-words";

/** Whether the fixes are kept, and whose records they are for. */
export interface Keeping {
  kept: boolean;
  /** The id of a key, everySender, or undefined: what the samples suggest. */
  key?: string | undefined;
}

export const everySender = "every";

const noKey = "00000000-0000-0000-0000-000000000000";

/** The key that sent all samples, or every sender. */
export function likelySender(filter: FailureFilter, samples: readonly Sample[]): string {
  const keys = new Set(samples.map(({ key_id }) => key_id));
  const [only = noKey] = keys;
  return filter.key ?? (keys.size === 1 && only !== noKey ? only : everySender);
}

interface KeepRuleProps {
  filter: FailureFilter;
  fixes: readonly Fix[];
  samples: readonly Sample[];
  keeping: Keeping;
  onChange: (keeping: Keeping) => void;
}

/** Offers to keep the fixes as rules for records to come. */
export function KeepRule({ filter, fixes, samples, keeping, onChange }: KeepRuleProps) {
  const { workspace, can } = usePlace();
  const keys = useQuery({ ...keysQuery(workspace.id), enabled: keeping.kept && can("manage_keys") }).data;
  const chosen = keeping.key ?? likelySender(filter, samples);
  const sent = new Set(samples.map(({ key_id }) => key_id));
  const senders = (keys?.items ?? []).filter(
    (key) => (key.status === "live" && !key.replaced_by) || sent.has(key.id) || key.id === chosen,
  );
  return (
    <div className="mt-4 flex flex-col gap-3 border-line border-t pt-4">
      <Checkbox
        label="Keep as a rule for records to come"
        hint="The same changes are then made to every record that is sent to this table, before it is checked."
        checked={keeping.kept}
        onCheckedChange={(kept) => onChange({ ...keeping, kept })}
      />
      {keeping.kept && (
        <div className="flex flex-col gap-3 pl-6">
          <ul aria-label="Rules to keep" className="flex flex-col gap-1 text-muted">
            {fixes.map((fix) => (
              <li key={JSON.stringify(fix)} className="wrap-anywhere">
                {ruleWords(asRule(fix, filter))}
              </li>
            ))}
          </ul>
          <Field label="For records from">
            <Select
              options={[
                { value: everySender, label: "Every sender" },
                ...senders.map((key) => ({ value: key.id, label: key.label, hint: key.id.slice(-6) })),
              ]}
              value={chosen}
              onValueChange={(key) => onChange({ kept: true, key })}
            />
          </Field>
        </div>
      )}
    </div>
  );
}
