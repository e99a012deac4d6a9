import { useQuery } from "@tanstack/react-query";
import { ListFilter, Search, X } from "lucide-react";
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from "react";
import { keysQuery } from "@/features/keys/queries";
import { cx } from "@/lib/cx";
import { usePlace } from "@/lib/session";
import { useShortcuts } from "@/lib/shortcuts";
import { Button } from "@/ui/button";
import { Input } from "@/ui/input";
import { type Option, Select } from "@/ui/select";
import {
  type FailureFilter,
  type FailureSearch,
  type FailureStatus,
  filterOf,
  isDay,
  isFiltered,
  spans,
} from "./filter";
import { groupsQuery, useTables } from "./queries";
import { reasonLabel } from "./reasons";

interface FilterBarProps {
  /** At its end, where there is room. */
  children?: ReactNode;
  status: FailureStatus;
  search: FailureSearch;
  onChange: (next: FailureSearch) => void;
}

/** Everything that narrows the lists. All of it stands in the address. */
export function FilterBar({ status, search, onChange, children }: FilterBarProps) {
  const [shown, setShown] = useState(false);
  const filter = filterOf(search);
  const set = (change: FailureFilter) => {
    const { open: _, ...rest } = search;
    onChange({ ...rest, ...change });
  };
  const count = Object.keys(filter).filter((name) => name !== "text").length;
  return (
    <search className="mb-3 flex flex-wrap items-center gap-2">
      <TextFilter value={search.text ?? ""} onChange={(text) => set({ text: text || undefined })} />
      <Button
        className="md:hidden"
        icon={<ListFilter aria-hidden />}
        aria-expanded={shown}
        onClick={() => setShown(!shown)}
      >
        Filter{count > 0 && ` (${count})`}
      </Button>
      <div className={cx("contents", !shown && "max-md:hidden")}>
        <Choices status={status} filter={filter} set={set} />
        {/* Begins anew when everything is cleared: days that were asked for and not yet given are gone. */}
        <TimeFilter key={String(isFiltered(filter))} filter={filter} set={set} />
        <KeyFilter filter={filter} set={set} />
      </div>
      {isFiltered(filter) && (
        <Button
          variant="ghost"
          size="sm"
          icon={<X aria-hidden />}
          onClick={() => onChange(search.status ? { status: search.status } : {})}
        >
          Clear
        </Button>
      )}
      {children}
    </search>
  );
}

function TextFilter({ value, onChange }: { value: string; onChange: (text: string) => void }) {
  const [typed, setTyped] = useState(value);
  const field = useRef<HTMLInputElement>(null);
  const latest = useRef(onChange);
  useLayoutEffect(() => {
    latest.current = onChange;
  });
  useShortcuts([{ keys: "/", label: "Search", group: "Lists", run: () => field.current?.focus() }]);
  // The address may change by itself: by going back, or by "Clear".
  useEffect(() => setTyped(value), [value]);
  useEffect(() => {
    if (typed === value) return;
    const timer = setTimeout(() => latest.current(typed), 250);
    return () => clearTimeout(timer);
  }, [typed, value]);
  return (
    <div className="min-w-40 flex-1 md:max-w-72">
      <Input
        ref={field}
        type="search"
        aria-label="Search messages and record keys"
        placeholder="Message or record key"
        lead={<Search aria-hidden />}
        maxLength={200}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
    </div>
  );
}

interface PartProps {
  filter: FailureFilter;
  set: (change: FailureFilter) => void;
}

/** Table, reason and field, of those that there are. */
function Choices({ status, filter, set }: PartProps & { status: FailureStatus }) {
  const { workspace } = usePlace();
  const title = useTables();
  const groups = useQuery(groupsQuery(workspace, status)).data ?? [];
  const mine = groups.filter((group) => !filter.table || group.slug === filter.table);
  const reasons = mine.filter((group) => !filter.code || group.code === filter.code);
  return (
    <>
      <Choice
        label="Table"
        any="Any table"
        value={filter.table}
        values={groups.map((group) => group.slug)}
        shown={title}
        onChange={(table) => set({ table, field: undefined })}
      />
      <Choice
        label="Reason"
        any="Any reason"
        value={filter.code}
        values={mine.map((group) => group.code)}
        shown={reasonLabel}
        onChange={(code) => set({ code, field: undefined })}
      />
      <Choice
        label="Field"
        any="Any field"
        value={filter.field}
        values={reasons.map((group) => group.field || "none")}
        shown={(field) => (field === "none" ? "No field" : field)}
        onChange={(field) => set({ field })}
      />
    </>
  );
}

/** The control takes an empty text for "nothing chosen yet". */
const whatever = "*";

interface ChoiceProps {
  label: string;
  any: string;
  value: string | undefined;
  values: string[];
  shown: (value: string) => string;
  onChange: (value: string | undefined) => void;
}

function Choice({ label, any, value, values, shown, onChange }: ChoiceProps) {
  const all = [...new Set(value ? [...values, value] : values)].sort((a, b) =>
    shown(a).localeCompare(shown(b)),
  );
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
      className={cx("w-auto! max-w-48", value && setClass)}
    />
  );
}

const setClass = "border-accent-ink! bg-accent-soft! text-accent-ink!";

function TimeFilter({ filter, set }: PartProps) {
  const { since, until } = filter;
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
        aria-label="Last seen"
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

/** The names of keys are for Company-Admins; others can keep or drop a key that a link brought. */
function KeyFilter({ filter, set }: PartProps) {
  const { workspace, can } = usePlace();
  const { data } = useQuery({
    ...keysQuery(workspace.id),
    enabled: can("manage_keys"),
    refetchInterval: false,
  });
  const names = new Map(data?.items.map((key) => [key.id, key.label]));
  if (!can("manage_keys") && !filter.key) return null;
  return (
    <Choice
      label="API key"
      any="Any key"
      value={filter.key}
      values={[...names.keys()]}
      shown={(key) => names.get(key) ?? `Key ${key.slice(-6)}`}
      onChange={(key) => set({ key })}
    />
  );
}
