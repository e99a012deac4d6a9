import { useQuery } from "@tanstack/react-query";
import { ListFilter, X } from "lucide-react";
import { type ReactNode, useState } from "react";
import { keysQuery } from "@/features/keys/queries";
import { cx } from "@/lib/cx";
import { usePlace } from "@/lib/session";
import { Button } from "@/ui/button";
import { ChoiceFilter, PeriodFilter, SearchField } from "@/ui/filter";
import { type FailureFilter, type FailureSearch, type FailureStatus, filterOf, isFiltered } from "./filter";
import { groupsQuery, useTables } from "./queries";
import { reasonLabel } from "./reasons";

interface FilterBarProps {
  /** Shown at the end of the bar. */
  children?: ReactNode;
  status: FailureStatus;
  search: FailureSearch;
  onChange: (next: FailureSearch) => void;
}

/** The filters of the lists. The address holds all of them. */
export function FilterBar({ status, search, onChange, children }: FilterBarProps) {
  const [shown, setShown] = useState(false);
  const filter = filterOf(search);
  const set = (change: FailureFilter) => {
    const { open: _, pages: __, ...rest } = search;
    onChange({ ...rest, ...change });
  };
  const count = Object.keys(filter).filter((name) => name !== "text").length;
  return (
    <search className="mb-3 flex flex-wrap items-center gap-2">
      <div className="min-w-40 flex-1 md:max-w-72">
        <SearchField
          label="Search messages and record keys"
          placeholder="Message or record key"
          text={search.text}
          onSearch={(text) => set({ text })}
        />
      </div>
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
        <PeriodFilter label="Last seen" period={filter} onChange={set} />
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

interface PartProps {
  filter: FailureFilter;
  set: (change: FailureFilter) => void;
}

/** Filters by the tables, reasons and fields that occur. */
function Choices({ status, filter, set }: PartProps & { status: FailureStatus }) {
  const { workspace } = usePlace();
  const title = useTables();
  const groups = useQuery(groupsQuery(workspace, status)).data ?? [];
  const mine = groups.filter((group) => !filter.table || group.slug === filter.table);
  const reasons = mine.filter((group) => !filter.code || group.code === filter.code);
  return (
    <>
      <ChoiceFilter
        sorted
        label="Table"
        any="Any table"
        value={filter.table}
        values={groups.map((group) => group.slug)}
        shown={title}
        onChange={(table) => set({ table, field: undefined })}
      />
      <ChoiceFilter
        sorted
        label="Reason"
        any="Any reason"
        value={filter.code}
        values={mine.map((group) => group.code)}
        shown={reasonLabel}
        onChange={(code) => set({ code, field: undefined })}
      />
      <ChoiceFilter
        sorted
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

/** Only Company-Admins see the names of keys; others can only keep or remove a key from a link. */
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
    <ChoiceFilter
      sorted
      label="API key"
      any="Any key"
      value={filter.key}
      values={[...names.keys()]}
      shown={(key) => names.get(key) ?? `Key ${key.slice(-6)}`}
      onChange={(key) => set({ key })}
    />
  );
}
