import { useQuery } from "@tanstack/react-query";
import { ListFilter, X } from "lucide-react";
import { useState } from "react";
import { membersQuery } from "@/features/keys/queries";
import { cx } from "@/lib/cx";
import { usePlace } from "@/lib/session";
import { Button } from "@/ui/button";
import { Input } from "@/ui/input";
import { type Option, Select } from "@/ui/select";
import { type AuditSearch, isDay, spans } from "./filter";
import { actionLabel, actorLabel, knownActions } from "./words";

interface FilterBarProps {
  search: AuditSearch;
  /** What the chosen subject is called, where the list tells. */
  subject: string | undefined;
  onChange: (next: AuditSearch) => void;
}

/** Everything that narrows the list. All of it stands in the address. */
export function FilterBar({ search, subject, onChange }: FilterBarProps) {
  const [shown, setShown] = useState(false);
  const { company } = usePlace();
  const members = useQuery(membersQuery(company.id)).data?.items ?? [];
  const names = new Map(members.map((member) => [member.id, member.name]));
  const set = (change: AuditSearch) => onChange({ ...search, ...change });
  const count = Object.keys(search).length;
  return (
    <search className="mb-3 flex flex-wrap items-center gap-2">
      <Button
        className="md:hidden"
        icon={<ListFilter aria-hidden />}
        aria-expanded={shown}
        onClick={() => setShown(!shown)}
      >
        Filter{count > 0 && ` (${count})`}
      </Button>
      <div className={cx("contents", !shown && "max-md:hidden")}>
        <Choice
          label="Who"
          any="Anybody"
          value={search.who}
          values={[...names.keys(), "operator", "system"]}
          shown={(who) => names.get(who) ?? actorLabel(who)}
          onChange={(who) => set({ who })}
        />
        <Choice
          label="What"
          any="Anything"
          value={search.what}
          values={knownActions}
          shown={actionLabel}
          onChange={(what) => set({ what })}
        />
        <TimeFilter search={search} set={set} />
      </div>
      {search.about && (
        <Button icon={<X aria-hidden />} onClick={() => set({ about: undefined })}>
          <span className="max-w-40 truncate">
            <span className="sr-only">No longer only </span>about {subject ?? `…${search.about.slice(-8)}`}
          </span>
        </Button>
      )}
      {count > 0 && (
        <Button variant="ghost" size="sm" icon={<X aria-hidden />} onClick={() => onChange({})}>
          Clear
        </Button>
      )}
    </search>
  );
}

/** The control takes an empty text for "nothing chosen yet". */
const whatever = "*";
const setClass = "border-accent-ink! bg-accent-soft! text-accent-ink!";

interface ChoiceProps {
  label: string;
  any: string;
  value: string | undefined;
  values: string[];
  shown: (value: string) => string;
  onChange: (value: string | undefined) => void;
}

function Choice({ label, any, value, values, shown, onChange }: ChoiceProps) {
  const all = value && !values.includes(value) ? [...values, value] : values;
  const options: Option<string>[] = [
    { value: whatever, label: any },
    ...all.map((one) => ({ value: one, label: shown(one) })),
  ];
  return (
    <Select
      aria-label={label}
      options={options}
      value={value ?? whatever}
      onValueChange={(next) => onChange(next === whatever ? undefined : next)}
      className={cx("w-auto! max-w-56", value && setClass)}
    />
  );
}

function TimeFilter({ search, set }: { search: AuditSearch; set: (change: AuditSearch) => void }) {
  const { since, until } = search;
  const byDay = until !== undefined || isDay(since);
  const [days, setDays] = useState(byDay);
  const value = days || byDay ? "days" : (since ?? whatever);
  const options: Option<string>[] = [
    { value: whatever, label: "Any time" },
    ...Object.entries(spans).map(([span, { label }]) => ({ value: span, label })),
    { value: "days", label: "Between days…" },
  ];
  return (
    <>
      <Select
        aria-label="When"
        options={options}
        value={value}
        onValueChange={(next) => {
          setDays(next === "days");
          set({ since: next in spans ? next : undefined, until: undefined });
        }}
        className={cx("w-auto!", value !== whatever && setClass)}
      />
      {value === "days" && (
        <span className="flex items-center gap-1.5 text-muted">
          <Input
            type="date"
            aria-label="First day"
            max={until}
            value={isDay(since) ? since : ""}
            onChange={(event) => set({ since: event.currentTarget.value || undefined })}
            className="w-36"
          />
          to
          <Input
            type="date"
            aria-label="Last day"
            min={since}
            value={until ?? ""}
            onChange={(event) => set({ until: event.currentTarget.value || undefined })}
            className="w-36"
          />
        </span>
      )}
    </>
  );
}
