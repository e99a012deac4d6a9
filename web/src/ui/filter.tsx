import { Search } from "lucide-react";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { cx } from "@/lib/cx";
import { isDay, type Period, spans } from "@/lib/period";
import { useShortcuts } from "@/lib/shortcuts";
import { Input } from "./input";
import { FilterSelect, type Option } from "./select-face";

/** The value for "no filter". An empty one would mean "nothing chosen yet" to the control. */
const anyValue = "*";
const setClass = "border-accent-ink! bg-accent-soft! text-accent-ink!";

interface ChoiceFilterProps {
  label: string;
  any: string;
  value: string | undefined;
  values: string[];
  shown: (value: string) => string;
  /** Sorts the values by their labels. */
  sorted?: boolean;
  onChange: (value: string | undefined) => void;
}

/** Filters a list by one of several values, or by none. */
export function ChoiceFilter({ label, any, value, values, shown, sorted, onChange }: ChoiceFilterProps) {
  const all = [...new Set(value ? [...values, value] : values)];
  if (sorted) all.sort((a, b) => shown(a).localeCompare(shown(b)));
  const options: Option<string>[] = [
    { value: anyValue, label: any },
    ...all.map((one) => ({ value: one, label: shown(one) })),
  ];
  return (
    <FilterSelect
      aria-label={label}
      options={options}
      value={value ?? anyValue}
      onValueChange={(next) => onChange(next === anyValue ? undefined : next)}
      className={cx("w-auto! max-w-56", value && setClass)}
    />
  );
}

interface PeriodFilterProps {
  label: string;
  period: Period;
  onChange: (change: { since?: string | undefined; until?: string | undefined }) => void;
}

/** Filters a list by a period: the last hours or days, or between two days. */
export function PeriodFilter({ label, period: { since, until }, onChange }: PeriodFilterProps) {
  const byDay = until !== undefined || isDay(since);
  const [days, setDays] = useState(byDay);
  const said = useOutsideChange(`${since} ${until}`, () => setDays(byDay));
  const change = (next: { since: string | undefined; until: string | undefined }) => {
    said(`${next.since} ${next.until}`);
    onChange(next);
  };
  const value = days || byDay ? "days" : (since ?? anyValue);
  const first = isDay(since) ? since : undefined;
  const options: Option<string>[] = [
    { value: anyValue, label: "Any time" },
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
          change({ since: next in spans ? next : undefined, until: undefined });
        }}
        className={cx("w-auto!", value !== anyValue && setClass)}
      />
      {value === "days" && (
        <span className="flex items-center gap-1.5 text-muted">
          <DayField
            label="First day"
            day={first}
            max={until}
            onChange={(since) => change({ since, until })}
          />
          to
          <DayField
            label="Last day"
            day={until}
            min={first}
            onChange={(until) => change({ since: first, until })}
          />
        </span>
      )}
    </>
  );
}

interface DayFieldProps {
  label: string;
  day: string | undefined;
  min?: string | undefined;
  max?: string | undefined;
  onChange: (day: string | undefined) => void;
}

/** Earlier days have a year that is still being typed: 0002, 0020 and 0202 come before 2026. */
const firstDay = "1900-01-01";

/** A field for a day. It filters the list when the day is complete, not at every key. */
export function DayField({ label, day = "", min, max, onChange }: DayFieldProps) {
  const [typed, setTyped] = useState(day);
  const said = useOutsideChange(day, () => setTyped(day));
  return (
    <Input
      type="date"
      aria-label={label}
      min={min}
      max={max}
      value={typed}
      onChange={(event) => {
        const next = event.currentTarget.value;
        setTyped(next);
        if (next !== "" && next < firstDay) return;
        said(next);
        onChange(next || undefined);
      }}
      className="w-36"
    />
  );
}

interface SearchFieldProps {
  /** Names the search, for screen readers and the sheet of shortcuts. */
  label: string;
  placeholder: string;
  text: string | undefined;
  onSearch: (text: string | undefined) => void;
}

/** Filters a list by the typed text, after a pause in typing. The key "/" focuses it. */
export function SearchField({ label, placeholder, text = "", onSearch }: SearchFieldProps) {
  const [typed, setTyped] = useState(text);
  const field = useRef<HTMLInputElement>(null);
  const said = useOutsideChange(text, () => setTyped(text));
  const search = useEffectEvent((wanted: string) => {
    said(wanted);
    onSearch(wanted || undefined);
  });
  useShortcuts([{ keys: "/", label, group: "Lists", run: () => field.current?.focus() }]);
  useEffect(() => {
    if (typed === text) return;
    const timer = setTimeout(() => search(typed), 250);
    return () => clearTimeout(timer);
  }, [typed, text]);
  return (
    <Input
      ref={field}
      type="search"
      aria-label={label}
      placeholder={placeholder}
      lead={<Search aria-hidden />}
      maxLength={200}
      value={typed}
      onChange={(event) => setTyped(event.currentTarget.value)}
    />
  );
}

/**
 * Tells changes of the address that the field made from other changes. The field and the address
 * differ for a moment after every key. If something else changes the address, such as going back or
 * "Clear", `changed` is called. The field calls the returned function with each value it sets.
 */
function useOutsideChange(now: string, changed: () => void): (next: string) => void {
  const latest = useRef(now);
  const tell = useEffectEvent(changed);
  useEffect(() => {
    if (now === latest.current) return;
    latest.current = now;
    tell();
  }, [now]);
  return (next) => {
    latest.current = next;
  };
}
