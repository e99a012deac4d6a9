import { Search } from "lucide-react";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { cx } from "@/lib/cx";
import { isDay, type Period, spans } from "@/lib/period";
import { useShortcuts } from "@/lib/shortcuts";
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
  const said = useSaid(`${since} ${until}`, () => setDays(byDay));
  const change = (next: { since: string | undefined; until: string | undefined }) => {
    said(`${next.since} ${next.until}`);
    onChange(next);
  };
  const value = days || byDay ? "days" : (since ?? whatever);
  const first = isDay(since) ? since : undefined;
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
          change({ since: next in spans ? next : undefined, until: undefined });
        }}
        className={cx("w-auto!", value !== whatever && setClass)}
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

/** Days before this are years that are not typed to their end: 0002, 0020 and 0202 come before 2026. */
const firstDay = "1900-01-01";

/** A day that is typed part by part: the list is narrowed when it is one, not at every key. */
function DayField({ label, day = "", min, max, onChange }: DayFieldProps) {
  const [typed, setTyped] = useState(day);
  const said = useSaid(day, () => setTyped(day));
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
  /** What is searched, for screen readers and the sheet of shortcuts. */
  label: string;
  placeholder: string;
  text: string | undefined;
  onSearch: (text: string | undefined) => void;
}

/** Narrows a list to what is typed, when one stops typing. "/" leads to it. */
export function SearchField({ label, placeholder, text = "", onSearch }: SearchFieldProps) {
  const [typed, setTyped] = useState(text);
  const field = useRef<HTMLInputElement>(null);
  const said = useSaid(text, () => setTyped(text));
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
 * A field holds what is typed, and the address what it says. They differ for a moment after every
 * key; but an address that somebody else has changed, by going back or by "Clear", has the last
 * word: `changed` is called then. The returned function notes what the field itself has said.
 */
function useSaid(now: string, changed: () => void): (next: string) => void {
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
