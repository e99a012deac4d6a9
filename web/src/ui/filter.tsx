import { useState } from "react";
import { cx } from "@/lib/cx";
import { isDay, type Period, spans } from "@/lib/period";
import { Input } from "./input";
import { FilterSelect, type Option } from "./select-face";

/** The control takes an empty text for "nothing chosen yet". */
const whatever = "*";
const setClass = "border-accent-ink! bg-accent-soft! text-accent-ink!";

interface ChoiceFilterProps {
  label: string;
  any: string;
  value: string | undefined;
  values: string[];
  shown: (value: string) => string;
  /** By what they are called, not as they come. */
  sorted?: boolean;
  onChange: (value: string | undefined) => void;
}

/** Narrows a list to one of some values, or to none of them. */
export function ChoiceFilter({ label, any, value, values, shown, sorted, onChange }: ChoiceFilterProps) {
  const all = [...new Set(value ? [...values, value] : values)];
  if (sorted) all.sort((a, b) => shown(a).localeCompare(shown(b)));
  const options: Option<string>[] = [
    { value: whatever, label: any },
    ...all.map((one) => ({ value: one, label: shown(one) })),
  ];
  return (
    <FilterSelect
      aria-label={label}
      options={options}
      value={value ?? whatever}
      onValueChange={(next) => onChange(next === whatever ? undefined : next)}
      className={cx("w-auto! max-w-56", value && setClass)}
    />
  );
}

interface PeriodFilterProps {
  label: string;
  period: Period;
  onChange: (change: { since?: string | undefined; until?: string | undefined }) => void;
}

/** Narrows a list to a stretch of time: the last so many hours, or between days. */
export function PeriodFilter({ label, period: { since, until }, onChange }: PeriodFilterProps) {
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
      <FilterSelect
        aria-label={label}
        options={options}
        value={value}
        onValueChange={(next) => {
          setDays(next === "days");
          onChange({ since: next in spans ? next : undefined, until: undefined });
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
            onChange={(event) => onChange({ since: event.currentTarget.value || undefined })}
            className="w-36"
          />
          to
          <Input
            type="date"
            aria-label="Last day"
            min={since}
            value={until ?? ""}
            onChange={(event) => onChange({ until: event.currentTarget.value || undefined })}
            className="w-36"
          />
        </span>
      )}
    </>
  );
}
